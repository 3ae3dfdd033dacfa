// A won game as a picture to save or share. It is drawn in the browser and sent nowhere.

import { figure, scoresOf } from "./board.js";
import { h } from "./dom.js";
import { other } from "./link.js";

const [WIDTH, HEIGHT, EDGE] = [1200, 630, 90];

/**
 * Shares the picture with the device's share sheet, or saves it as a file.
 * @param {View} view
 * @param {Seat} winner the reader
 */
export async function shareWin(view, winner) {
  const canvas = h("canvas", { width: WIDTH, height: HEIGHT });
  draw(/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), view, winner);
  /** @type {Blob | null} */
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) return;
  const file = new File([blob], `${view.game}.png`, { type: "image/png" });
  const shared = { files: [file], title: view.title };
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.(shared)) {
    await navigator.share(shared).catch(() => {}); // the reader closed the share sheet
    return;
  }
  const link = h("a", { href: URL.createObjectURL(file), download: file.name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * @param {CanvasRenderingContext2D} paint
 * @param {View} view
 * @param {Seat} winner
 */
function draw(paint, view, winner) {
  const { look, title, history, names } = view;
  const family = getComputedStyle(document.body).fontFamily;
  const text = (
    /** @type {string} */ words,
    /** @type {number} */ size,
    /** @type {number} */ x,
    /** @type {number} */ y,
  ) => {
    paint.font = `${size > 40 ? 800 : 400} ${size}px ${family}`;
    paint.fillText(words, x, y, WIDTH - EDGE - x);
  };
  const turns = history.filter(({ player }) => player === winner).length;
  const scores = scoresOf(view).filter((score) => score !== null);
  if (winner === 2) scores.reverse();
  const shared = view.board.table.score !== null;
  paint.fillStyle = look.light;
  paint.fillRect(0, 0, WIDTH, HEIGHT);
  paint.fillStyle = "#fff";
  paint.beginPath();
  paint.roundRect(EDGE, EDGE, 120, 120, 30);
  paint.fill();
  text(title, 76, EDGE + 150, EDGE + 86);
  text(`I beat ${names[other(winner) - 1]} in ${turns} ${turns === 1 ? "move" : "moves"}.`, 60, EDGE, 330);
  text((shared ? scores.slice(1) : scores).map(figure).join(" : "), 130, EDGE, 480);
  text(`Digit Duels · ${location.host}`, 30, EDGE, HEIGHT - 50);
  paint.fillStyle = look.light;
  paint.textAlign = "center";
  text(look.emblem, 84, EDGE + 60, EDGE + 90);
}
