/** Masks secrets in data. */

export type Mask = (text: string) => string

/** The same value with all its strings masked. */
export function maskDeep<T>(mask: Mask, value: T): T {
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') return mask(one)
    if (Array.isArray(one)) return one.map(visit)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, visit(part)]))
  }
  return visit(value) as T
}
