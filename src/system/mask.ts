/** Masks secrets in data. */

export type Mask = (text: string) => string

/** The same value with all its texts masked. */
export function masked<T>(mask: Mask, value: T): T {
  const inside = (one: unknown): unknown => {
    if (typeof one === 'string') return mask(one)
    if (Array.isArray(one)) return one.map(inside)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, inside(part)]))
  }
  return inside(value) as T
}
