// Three quiet sounds, and vibration on phones that support it. One setting turns all of them off.

import { recall, remember } from "./storage.js";

const NAME = "sound";
const LOUDNESS = 0.05; // of 1

/** Each sound: frequencies in hertz, seconds between them, and the vibration pattern in milliseconds. */
/** @type {Record<string, {notes: number[], step: number, touch: number[]}>} */
const SOUNDS = {
  move: { notes: [523], step: 0, touch: [12] },
  reply: { notes: [392], step: 0, touch: [] },
  win: { notes: [523, 659, 784, 1047], step: 0.11, touch: [30, 60, 30] },
  loss: { notes: [330, 262], step: 0.16, touch: [] },
};

/** @type {AudioContext | null} */
let audio = null;

/** @param {string} what */
export function ring(what) {
  const { notes, step, touch } = SOUNDS[what] ?? { notes: [], step: 0, touch: [] };
  // Browsers refuse both before the first user gesture.
  if (!navigator.userActivation?.hasBeenActive || recall(NAME) === "off") return;
  if (touch.length) navigator.vibrate?.(touch);
  audio ??= new AudioContext();
  notes.forEach((frequency, index) => tone(/** @type {AudioContext} */ (audio), frequency, index * step));
}

/**
 * @param {AudioContext} context
 * @param {number} frequency
 * @param {number} wait seconds
 */
function tone(context, frequency, wait) {
  const start = context.currentTime + wait;
  const [source, volume] = [new OscillatorNode(context, { type: "triangle", frequency }), new GainNode(context)];
  volume.gain.setValueAtTime(LOUDNESS, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.18);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + 0.2);
}

/**
 * Returns the menu entry that turns sounds off or on.
 * @returns {import("./dialog.js").Entry}
 */
export function soundChoice() {
  const off = recall(NAME) === "off";
  return [off ? "Turn sounds on" : "Turn sounds off", () => remember(NAME, off ? "on" : "off")];
}
