/** The longest first: that is how durations are written. */
export const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1000 },
  { name: 'ms', ms: 1 },
]

export function unitNamed(name) {
  const unit = units.find((one) => one.name === name.toLowerCase())
  if (unit === undefined) throw new RangeError(`There is no unit "${name}".`)
  return unit
}
