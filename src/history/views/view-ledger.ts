/** Pages of the ledger: what was reserved, settled and charged, and the totals. */

import { loadRun } from '../../engine/index.ts'
import { add, type RunId, zero } from '../../loop/index.ts'
import type { Ledger, LedgerEntry } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'
import { createSpending, spendingTypes } from './spending.ts'

/** An event may have several entries, so a position is an event and the number of its entries already returned. */
export async function viewLedger(
  { journal }: Pick<RecordSource, 'journal'>,
  run: RunId,
  { limit = pageLimit, cursor }: PageOptions = {},
): Promise<Ledger> {
  const [fromSeq = 0, returned = 0] = fromCursor(cursor, 2)
  const { state } = await loadRun(journal, run)
  const { spent, spentByRole, limits } = state
  const reserved = Object.values(state.reserved).reduce(add, zero)
  const totals = { spent, reserved, spentByRole, limits }
  const spending = createSpending()
  const items: LedgerEntry[] = []
  // Nothing is reserved between two iterations, so reading starts there.
  let after = await journal.boundaryBefore(run, Math.max(0, fromSeq - 1))
  while (true) {
    const events = await journal.read(run, { afterSeq: after, limit: 500, types: spendingTypes })
    for (const recorded of events) {
      const { seq } = recorded
      for (const [index, entry] of spending.add(recorded).entries()) {
        if (seq < fromSeq || (seq === fromSeq && index < returned)) continue
        if (items.length === limit) return { items, next: toCursor(seq, index), ...totals }
        items.push(entry)
      }
    }
    const last = events.at(-1)
    if (last === undefined) return { items, ...totals }
    after = last.seq
  }
}
