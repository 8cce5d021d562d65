/** Optional members of an object literal, under `exactOptionalPropertyTypes`: absent, never undefined. */

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that are not undefined: `{ id, ...defined({ limit, signal }) }`. */
export function defined<T extends object>(members: T): Defined<T> {
  const present: Defined<T> = {}
  for (const key in members) {
    const value = members[key]
    if (value !== undefined) present[key] = value as Defined<T>[typeof key]
  }
  return present
}
