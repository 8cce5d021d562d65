/** A map that keeps the entries set last, so that a cache does not grow without limit. */
export interface RecentMap<K, V> {
  get(key: K): V | undefined
  /** The entry becomes the newest. Too many: the oldest is dropped. */
  set(key: K, value: V): void
  /** Returns the entry and removes it. */
  take(key: K): V | undefined
  delete(key: K): void
  /** Oldest first. */
  values(): Iterable<V>
}

export function createRecentMap<K, V>(entriesMax: number): RecentMap<K, V> {
  const entries = new Map<K, V>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= entriesMax) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    },
    take(key) {
      const value = entries.get(key)
      entries.delete(key)
      return value
    },
    delete: (key) => void entries.delete(key),
    values: () => entries.values(),
  }
}
