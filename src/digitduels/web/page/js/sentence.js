// Picks the form of the server's sentences for the reader. The page never rewrites them.

/**
 * Returns a sentence in the form for a reader.
 * @param {Sentence} sentence
 * @param {Seat | null} [reader] null for a spectator, or for two people at one screen
 */
export function tell(sentence, reader = null) {
  if (reader === null || sentence.of === undefined) return sentence.text;
  return (sentence.of === reader ? sentence.you : sentence.them) ?? sentence.text;
}

/**
 * Returns sentences in the form for a reader, without empty ones.
 * @param {Sentence[]} sentences
 * @param {Seat | null} [reader]
 */
export function tellEach(sentences, reader = null) {
  return sentences.map((sentence) => tell(sentence, reader)).filter(Boolean);
}

/**
 * Joins sentences into one line.
 * @param {Sentence[]} sentences
 * @param {Seat | null} [reader]
 */
export function tellAll(sentences, reader = null) {
  return tellEach(sentences, reader).join(" ");
}

/**
 * Prevents line breaks inside equations and names with numbers.
 * @param {string} text
 */
export function unbroken(text) {
  return text.replace(/ (?=[+−×÷=→] )|(?<=[+−×÷=→]) |(?<=\p{Lu}\p{Ll}+) (?=\d)/gu, "\u00a0");
}
