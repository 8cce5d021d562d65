/**
 * Operations grouped by path, each group loaded on its first request. In process, most commands need only one group,
 * and start faster without the rest.
 */

import type { Operation } from './operation.ts'

interface OperationGroup {
  /** Of the paths that the group answers. */
  readonly paths: RegExp
  load(): Promise<readonly Operation[]>
}

export const operationGroups: readonly OperationGroup[] = [
  {
    paths: /^\/loop-types\//,
    async load() {
      const [{ loopTypes }, { loopTypeOperations }] = await Promise.all([
        import('../../loops/registry.ts'),
        import('./loop-type-operations.ts'),
      ])
      return loopTypeOperations(loopTypes)
    },
  },
  {
    paths: /^\/runs(\/[^/]+)?$|^\/attention$/,
    load: async () => (await import('./run-operations.ts')).runOperations,
  },
  {
    paths: /^\/runs\/[^/]+\/(pause|resume|stop|cancel|limits|tell|retry|fork)$|\/answer$/,
    load: async () => (await import('./control-operations.ts')).controlOperations,
  },
  {
    paths:
      /^\/runs\/[^/]+\/(steps|iterations|progress|evidence|ledger|policy|questions|events|output)$|^\/(questions|queue|events)$/,
    load: async () => (await import('./journal-operations.ts')).journalOperations,
  },
  {
    paths: /^\/runs\/[^/]+\/(diff|merge|create-pr|scrap|reset|actions)$|^\/actions$/,
    load: async () => (await import('./work-operations.ts')).workOperations,
  },
  {
    paths:
      /^\/runs\/[^/]+\/(checkpoints|certificates|artifacts|postmortem)(\/|$)|^\/certificates(\/|$)/,
    load: async () => (await import('./file-operations.ts')).fileOperations,
  },
  {
    paths: /^\/summaries$|^\/daemon\/(machine|links)$/,
    load: async () => (await import('./summary-operations.ts')).summaryOperations,
  },
  {
    paths: /^\/runs\/[^/]+\/(panels|report|exchanges\/[^/]+)$|^\/merges$/,
    load: async () => (await import('./panel-operations.ts')).panelOperations,
  },
  {
    paths: /^\/worktrees$/,
    load: async () => (await import('./worktree-operations.ts')).worktreeOperations,
  },
  {
    paths: /^\/(digest|escalations)$/,
    load: async () => (await import('./digest-operations.ts')).digestOperations,
  },
  {
    paths: /^\/levels(\/|$)/,
    load: async () => (await import('./level-operations.ts')).levelOperations,
  },
  {
    paths: /^\/memory(\/|$)/,
    load: async () => (await import('./memory-operations.ts')).memoryOperations,
  },
  {
    paths: /^\/(schedules|hooks)(\/|$)/,
    load: async () => (await import('./schedule-operations.ts')).scheduleOperations,
  },
  {
    paths: /^\/(loops|catalog)(\/|$)/,
    load: async () => (await import('./loop-operations.ts')).loopOperations,
  },
]

/** If no group matches, returns all operations. */
export async function operationsFor(path: string): Promise<readonly Operation[]> {
  const group = operationGroups.find(({ paths }) => paths.test(path))
  if (group !== undefined) return group.load()
  return (await import('./operations.ts')).operations
}
