/**
 * A slug has lower-case letters, digits and single hyphens, and is neither empty nor long: it is safe as part of a branch,
 * a path or an argument.
 */

const slugLengthMax = 60

export function toSlug(name: string, otherwise = 'run'): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .split(/[^a-z0-9]+/)
  const joined = words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, slugLengthMax)
  return joined.replace(/-$/, '') || otherwise
}

/** Of `specs/Shop cart.md`: `shop-cart`. Names loops, runs and branches. */
export function specSlug(path: string): string {
  const file = path.split(/[/\\]/).at(-1) ?? ''
  return toSlug(file.replace(/(?<=.)\.[^.]*$/, ''), 'spec')
}
