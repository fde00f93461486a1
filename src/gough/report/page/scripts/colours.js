// Colours of forces: blue pulls, orange pushes, grey in between; told apart by colour-blind people.

const FORCE_STOPS = {
  light: [[0, 62, 125], [0, 114, 178], [86, 160, 211], [158, 164, 170], [233, 163, 60], [213, 94, 0], [140, 45, 4]],
  dark: [[120, 190, 255], [60, 150, 225], [40, 105, 160], [98, 104, 112], [190, 110, 20], [240, 140, 30], [255, 200, 110]],
};

/** Names of the style sheet for the colours of bodies; of others a joint's. */
export const BODIES = { base: "--base-plate", platform: "--platform-plate" };

/** Shade of pistons and rods. */
export const LIGHTER = 0.28;

/** Red, green and blue of a force between -limit and +limit. */
export function forceColour(force, limit, theme) {
  const stops = FORCE_STOPS[theme];
  const place = (Math.max(-1, Math.min(1, limit > 0 ? force / limit : 0)) + 1) / 2 * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(place));
  return stops[k].map((c, i) => Math.round(c + (stops[k + 1][i] - c) * (place - k)));
}

/** A colour nearer to white (amount > 0) or to black (amount < 0). */
export function shaded(colour, amount) {
  const goal = amount > 0 ? 255 : 0;
  return colour.map((c) => Math.round(c + (goal - c) * Math.abs(amount)));
}

/** A colour as style sheets write it. */
export function cssColour([red, green, blue], opacity = 1) {
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}

/** Red, green and blue of a colour of the style sheet, #rrggbb. */
export function rgbOf(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
}
