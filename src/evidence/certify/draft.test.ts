import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { defaultLimits, type RunId, type TreeId } from '../../loop/index.ts'
import { changesMax } from '../../protocol/index.ts'
import type { OpenCheck } from '../parts.ts'
import type { Certified } from './certification.ts'
import { createCertificateDraft } from './draft.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const check: OpenCheck = {
  name: 'test',
  kind: 'command',
  run: () => Promise.reject(new Error('not run here')),
  command: ['npm', 'test'],
  toolDigest: 'npm',
  existing: 'fix',
  outputs: [],
  names: [],
}

const certified: Certified = {
  subject: {
    run: 'r1' as RunId,
    name: 'calm-otter',
    loop: 'fix',
    codeDigest: 'code',
    iteration: 1,
    condition: 'test',
    checks: ['test'],
    evidence: {},
    spent: { tokens: 0, costMicros: 0 },
    limits: defaultLimits,
    activeMs: 0,
    answers: [],
    tree: 'tree' as TreeId,
    agent: { name: 'claude', version: '2.1.0' },
  },
  own: [
    {
      check,
      result: { status: 'met', exitCode: 0, output: 'begin … end', whole: 'begin middle end' },
      startedAtMs: 0,
      endedAtMs: 1,
      answers: ['met'],
      observation: {
        result: { status: 'met', output: '' },
        runners: [],
        problems: [],
        replaced: [],
        startedAtMs: 0,
        endedAtMs: 1,
      },
    },
  ],
  sealed: [],
  sealedChanges: [],
  approvals: [],
  consultations: [],
}

function draftFrom(change: Partial<Certified>) {
  const kept: string[] = []
  const draft = createCertificateDraft(
    { ...certified, ...change },
    {
      async keep(text) {
        kept.push(text)
        return { sha256: sha256(text), bytes: text.length }
      },
      calibrationOf: async () => undefined,
      now: () => 0,
      model: 'anthropic/claude',
    },
  )
  return { kept, draft }
}

test('binds the whole output, not the excerpt; names agent and model', async () => {
  const { kept, draft } = draftFrom({})
  const { checks, agent, model } = await draft
  expect(kept).toEqual(['begin middle end'])
  expect(checks[0]?.output).toEqual({ sha256: sha256('begin middle end'), bytes: 16 })
  expect([agent?.version, model]).toEqual(['2.1.0', 'anthropic/claude'])
})

test('stores what a check read as a sorted list, bound by its digest', async () => {
  const { kept, draft } = draftFrom({ reads: new Map([['test', ['b.js', 'a.js']]]) })
  expect((await draft).checks[0]?.reads).toEqual({ count: 2, digest: sha256('a.js\nb.js\n') })
  expect(kept).toContain('a.js\nb.js\n')
})

test('lists the changes that need an approval first, and counts those beyond the limit', async () => {
  const work = Array.from({ length: changesMax }, (_, at) => ({
    path: `src/${at}.js`,
    class: 'work' as const,
  }))
  const other = { path: 'spec.md', class: 'other', approved: true } as const
  const { draft } = draftFrom({ proof: { changes: [...work, other] } })
  const { changes, changesNotListed } = await draft
  expect([changes?.length, changes?.[0], changesNotListed]).toEqual([changesMax, other, 1])
})
