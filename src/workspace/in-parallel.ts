/**
 * Processes many items, a few at a time. After the first failure no new item is started, and it rejects only
 * when all started items have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const queue = items.values()
  async function worker(): Promise<void> {
    for (const item of queue) {
      if (failures.length > 0) return
      await work(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
}
