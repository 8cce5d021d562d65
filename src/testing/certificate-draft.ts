/** A certificate that could be issued: one command, met. Parts are replaced as a test needs. */

import { createHash } from 'node:crypto'
import type { TreeId } from '../loop/index.ts'
import type { CertificateDraft, CertifiedCheck } from '../protocol/index.ts'

const at = '2026-01-02T03:04:05.000Z'

/** What the check of `certifiedCheck` printed. */
export const certifiedOutput = '3 tests passed\n'

export const certifiedCheck = (change: Partial<CertifiedCheck> = {}): CertifiedCheck => ({
  name: 'test',
  kind: 'command',
  pass: 'own',
  command: ['npm', 'test'],
  toolDigest: digestOf('npm'),
  status: 'met',
  exitCode: 0,
  output: { sha256: digestOf(certifiedOutput), bytes: certifiedOutput.length },
  counts: { passed: 3, failed: 0, skipped: 0 },
  startedAt: at,
  endedAt: at,
  ...change,
})

export const certificateDraft = (change: Partial<CertificateDraft> = {}): CertificateDraft => ({
  what: { type: 'tree', name: 'demo' },
  tree: digestOf('a tree') as TreeId,
  rests: { checks: ['test'] },
  checks: [certifiedCheck()],
  sealed: { changes: [] },
  approvals: [],
  consultations: [],
  layer: { from: 'none', digest: digestOf('none'), summary: 'no dependencies' },
  sandbox: { tier: 'strong', limits: 'cgroup', attended: false },
  policy: { decision: 'none', set: 'none' },
  ...change,
})

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
