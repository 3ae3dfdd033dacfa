// Drawing only what has changed.

/**
 * Returns a function that says whether its arguments differ from those of the previous call. What is drawn only then
 * keeps the focus and half-typed text.
 */
export function changeDetector() {
  let before = "";
  return (/** @type {unknown[]} */ ...values) => {
    const now = JSON.stringify(values);
    const changed = now !== before;
    before = now;
    return changed;
  };
}
