/** Ways to break the product, to show that the proof would notice. */

import type { Journal, Workspace } from 'loopwright/testing'

export type Sabotage = 'ack-before-commit' | 'no-restore' | 'forget-results' | 'never-find'

export function sabotagedJournal(journal: Journal, sabotage: Sabotage | undefined): Journal {
  if (sabotage === 'ack-before-commit') {
    return {
      ...journal,
      async append(lease, unit) {
        setTimeout(() => void journal.append(lease, unit).catch(() => undefined), 20)
      },
    }
  }
  if (sabotage === 'forget-results') {
    return {
      ...journal,
      read: async (run, range) =>
        (await journal.read(run, range)).map((recorded) =>
          recorded.event.type === 'step-finished' && !recorded.event.step.includes(':')
            ? { ...recorded, event: { type: 'warning', code: 'lost', message: '' } }
            : recorded,
        ),
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
