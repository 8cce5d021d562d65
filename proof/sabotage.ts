/** Ways to break the product, to show that the proof would notice. */

import type { Journal, Workspace } from '#src/engine/index.ts'

export type Sabotage =
  /** A result is handed over before it is on disk. */
  | 'ack-before-commit'
  /** Files are not put back. */
  | 'no-restore'
  /** The last result on record is not seen. */
  | 'forget-last-result'
  /** Nobody can tell that an action has happened. */
  | 'never-find'
  /** What a dead process started goes on. */
  | 'leave-orphans'

/** Longer than a busy machine takes from a result to the kill after it. */
const lateMs = 300

export function sabotagedJournal(journal: Journal, sabotage: Sabotage | undefined): Journal {
  if (sabotage === 'ack-before-commit') {
    return {
      ...journal,
      async append(lease, unit) {
        setTimeout(() => void journal.append(lease, unit).catch(() => undefined), lateMs)
      },
    }
  }
  if (sabotage === 'forget-last-result') {
    return {
      ...journal,
      async read(run, range) {
        const events = await journal.read(run, range)
        const last = events.findLast(({ event }) => event.type === 'step-finished')
        return events.map((recorded) =>
          recorded === last
            ? { ...recorded, event: { type: 'warning', code: 'lost', message: '' } }
            : recorded,
        )
      },
    }
  }
  return journal
}

export function sabotagedWorkspace(
  workspace: Workspace,
  sabotage: Sabotage | undefined,
): Workspace {
  return sabotage === 'no-restore' ? { ...workspace, restore: async () => undefined } : workspace
}
