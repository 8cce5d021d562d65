/** The methods of a store that change nothing. */

import type { NamedContent, Store } from '../engine/index.ts'
import { isLoopError } from '../loop/index.ts'
import { findDamagedRows } from './damage/damaged-rows.ts'
import type { Database } from './database.ts'
import { countRuns, pageRuns } from './page-runs.ts'
import { readQuestions } from './question-table.ts'
import { hasRemoved } from './remove-run.ts'
import { createRunFacts } from './run-facts.ts'
import type { StoreParts } from './store-parts.ts'
import { changedRuns, lastPosition } from './store-position.ts'
import { pageSummaries } from './summaries/summary-table.ts'

type Read =
  | 'findRun'
  | 'listRuns'
  | 'pageRuns'
  | 'pageSummaries'
  | 'countRuns'
  | 'makerOfGit'
  | 'hasRemoved'
  | 'snapshot'
  | 'read'
  | 'readStore'
  | 'readTexts'
  | 'readStoreTexts'
  | 'readEvidence'
  | 'checkpoints'
  | 'boundaryBefore'
  | 'tried'
  | 'lastPosition'
  | 'changedRuns'
  | 'pendingDecisions'
  | 'questions'
  | 'facts'
  | 'namedContent'
  | 'integrityProblems'
  | 'damagedRows'

export function createStoreReads(parts: StoreParts): Pick<Store, Read> {
  const { database, runs, events, decisions, leases, reading } = parts
  const facts = createRunFacts(database)
  return {
    findRun: (idOrName) => reading(() => runs.find(idOrName)),
    listRuns: (filter) => reading(() => runs.list(filter?.status, filter?.limit ?? 1000)),
    pageRuns: (options = {}) => reading(() => pageRuns(database, options, leases.isHeld)),
    pageSummaries: (options = {}) => reading(() => pageSummaries(database, options, leases.isHeld)),
    countRuns: () => reading(() => countRuns(database)),
    makerOfGit: (folder) => reading(() => runs.makerOfGit(folder)),
    hasRemoved: () => reading(() => hasRemoved(database)),
    snapshot: (run) => reading(() => events.snapshot(run)),
    read: (run, range = {}) => reading(() => events.read(run, range)),
    readStore: (range) => reading(() => events.readStore(range)),
    readTexts: (run, range = {}) => reading(() => events.readTexts(run, range)),
    readStoreTexts: (range) => reading(() => events.readStoreTexts(range)),
    readEvidence: (run, { afterSeq, limit }) =>
      reading(() => events.readEvidence(run, afterSeq, limit)),
    checkpoints: (run) => reading(() => events.checkpoints(run)),
    boundaryBefore: (run, seq) => reading(() => events.boundaryBefore(run, seq)),
    tried: (fingerprint) => reading(() => events.tried(fingerprint)),
    lastPosition: () => reading(() => lastPosition(database)),
    changedRuns: (afterPosition) => reading(() => changedRuns(database, afterPosition)),
    pendingDecisions: (run) => reading(() => decisions.pending(runs.key(run))),
    questions: ({ limit, after }) => reading(() => readQuestions(database, limit, after)),
    facts: (run) => reading(() => facts.of(runs.key(run))),
    namedContent: () => reading(() => namedContent(database)),
    integrityProblems: () => integrityProblems(parts),
    damagedRows: () => reading(() => findDamagedRows(database)),
  }
}

function namedContent(database: Database): readonly NamedContent[] {
  const rows = database.prepare('SELECT DISTINCT hash, is_tree FROM named_content').all()
  return (rows as { hash: string; is_tree: number }[]).map((row) => ({
    hash: row.hash,
    isTree: row.is_tree === 1,
  }))
}

/** Damage may make the check itself fail: that is a finding too. */
async function integrityProblems({ database, reading }: StoreParts): Promise<readonly string[]> {
  try {
    const rows = await reading(() => database.prepare('PRAGMA integrity_check').all())
    return (rows as { integrity_check: string }[])
      .map((row) => row.integrity_check)
      .filter((line) => line !== 'ok')
  } catch (error) {
    if (!isLoopError(error, 'store-damaged')) throw error
    return [error.message]
  }
}
