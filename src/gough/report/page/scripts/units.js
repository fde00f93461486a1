// The units in which lengths and angles are shown; everything is computed in m and rad.

const CHOICES = {
  m: [{ unit: "mm", factor: 1000 }, { unit: "m", factor: 1 }],
  rad: [{ unit: "°", factor: 180 / Math.PI }, { unit: "rad", factor: 1 }],
};
const ORDERS = [
  { value: "xyz", text: "roll, pitch, yaw (fixed axes x y z)" },
  { value: "XYZ", text: "angles about moving axes x y z" },
  { value: "ZYX", text: "angles about moving axes z y x" },
];

/**
 * Units by the SI unit that they stand for, each as { unit, factor }; `order` of the angles of an
 * attitude. `changed` is called when a person chooses another one.
 */
export function createUnits(changed) {
  const chosen = { m: 0, rad: 0 };
  let order = ORDERS[0].value;
  return {
    get m() { return CHOICES.m[chosen.m]; },
    get rad() { return CHOICES.rad[chosen.rad]; },
    get order() { return order; },
    /** The choices, to be kept, and taken back once they are checked. */
    get chosen() { return { ...chosen, order }; },
    choose({ order: wanted, ...units }) { Object.assign(chosen, units); order = wanted; },
    counts: { m: CHOICES.m.length, rad: CHOICES.rad.length },
    orderNames: ORDERS.map(({ value }) => value),
    choices: Object.entries(CHOICES).map(([name, units]) => ({
      label: name === "m" ? "Unit of lengths" : "Unit of angles",
      options: units.map(({ unit }, value) => ({ value, text: unit })),
      chosen: () => chosen[name],
      choose: (value) => { chosen[name] = Number(value); changed(); },
    })),
    orders: { label: "Angle convention", options: ORDERS, chosen: () => order, choose: (value) => { order = value; changed(); } },
  };
}
