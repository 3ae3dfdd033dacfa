// QR codes of links, for a phone to scan.

import { qrCode } from "./api.js";
import { h } from "./dom.js";

/** The images drawn so far, by URL: a page that is redrawn does not fetch them again. */
/** @type {Map<string, Promise<string>>} */
const drawn = new Map();

/**
 * Creates the image of a QR code.
 * @param {string} url
 * @param {string} alt
 */
export function qrImage(url, alt) {
  const image = h("img.qr", { alt });
  const drawing = drawn.get(url) ?? qrCode(url);
  drawn.set(url, drawing);
  drawing.then(
    (src) => (image.src = src),
    () => drawn.delete(url),
  );
  return image;
}
