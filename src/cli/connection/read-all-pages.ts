/** Reads a paginated list, up to a maximum. */

interface Page<T> {
  readonly items: readonly T[]
  readonly next?: string
}

export async function readAllPages<T>(
  read: (cursor: { readonly cursor?: string }) => Promise<Page<T>>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<readonly T[]> {
  const found: T[] = []
  let cursor: string | undefined
  do {
    const { items, next } = await read(cursor === undefined ? {} : { cursor })
    found.push(...items)
    cursor = next
  } while (cursor !== undefined && found.length < limit)
  return found.slice(0, limit)
}
