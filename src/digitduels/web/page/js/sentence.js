// The words of the server for the person who reads them. The page never rewrites them.

/**
 * A sentence as a reader is told it.
 * @param {Sentence} sentence
 * @param {Seat | null} [reader] null for anybody who has no seat, or shares the screen
 */
export function tell(sentence, reader = null) {
  if (reader === null || sentence.of === undefined) return sentence.text;
  return (sentence.of === reader ? sentence.you : sentence.them) ?? sentence.text;
}

/**
 * Sentences one by one; empty ones are left out.
 * @param {Sentence[]} sentences
 * @param {Seat | null} [reader]
 */
export function tellEach(sentences, reader = null) {
  return sentences.map((sentence) => tell(sentence, reader)).filter(Boolean);
}

/**
 * Sentences in one line.
 * @param {Sentence[]} sentences
 * @param {Seat | null} [reader]
 */
export function tellAll(sentences, reader = null) {
  return tellEach(sentences, reader).join(" ");
}

/**
 * A text whose equations and numbered names are not broken at the end of a line.
 * @param {string} text
 */
export function unbroken(text) {
  return text.replace(/ (?=[+−×÷=→] )|(?<=[+−×÷=→]) |(?<=\p{Lu}\p{Ll}+) (?=\d)/gu, "\u00a0");
}
