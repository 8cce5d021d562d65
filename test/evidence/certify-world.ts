/** A clean place in memory, and whatever its checks say. */

import type { CertifyContext, Subject } from '../../src/engine/index.ts'
import type { Baseline } from '../../src/evidence/certify/baseline.ts'
import {
  type Certified,
  type CertifierParts,
  createCertifier,
} from '../../src/evidence/certify/certifier.ts'
import type {
  Answered,
  CertifyingPlace,
  OpenCheck,
  PlaceRequest,
} from '../../src/evidence/index.ts'
import type {
  CertificateId,
  CheckStatus,
  RunId,
  Signal,
  StepId,
  TreeId,
} from '../../src/loop/index.ts'
import { defaultLimits } from '../../src/loop/index.ts'
import { createMemoryTrees, type TreeContent } from '../../src/testing/memory-trees.ts'

type Files = { readonly [path: string]: TreeContent }

export const base: Files = {
  'package.json': '{ "scripts": { "test": "node --test" } }',
  'src/sum.js': 'export const sum = (a, b) => a - b\n',
  'test/sum.test.js': "test('sum', () => assert.equal(sum(1, 2), 3))\n",
}
export const mended = { ...base, 'src/sum.js': 'export const sum = (a, b) => a + b\n' }

/** What a check says of the files that it finds in the checkout. */
export type Says = (
  files: { readonly [path: string]: string },
  times: number,
  signal: Signal,
) => Partial<Answered> | Promise<Partial<Answered>>

export const testsPass: Says = (files) => ({
  status: files['src/sum.js']?.includes('a + b') === true ? 'met' : 'not-met',
  counts: { passed: 1, failed: 0, skipped: 0 },
})

type GivenCheck = Says | (Partial<OpenCheck> & { says: Says })

interface World {
  readonly checks?: { readonly [name: string]: GivenCheck }
  readonly parts?: Partial<CertifierParts>
  /** Paths that checks write to, of the files that they find. */
  readonly writes?: (files: { readonly [path: string]: string }) => readonly string[]
}

export function createWorld({ checks = { test: testsPass }, parts = {}, writes }: World = {}) {
  const trees = createMemoryTrees()
  const issued: Certified[] = []
  const opened: PlaceRequest[] = []
  const ran: string[] = []
  const kept = new Map<string, Baseline>()
  const answered = new Map<string, readonly CheckStatus[]>()
  let closed = 0
  let now = 0
  const open = async (request: PlaceRequest): Promise<CertifyingPlace> => {
    opened.push(request)
    let files: { readonly [path: string]: string } = {}
    return {
      checkout: {
        path: '/checkout',
        async reset(tree, { over = new Map() } = {}) {
          files = trees.over(tree, over)
        },
        written: async () => writes?.(files) ?? [],
        remove: async () => undefined,
      },
      layer: { from: 'none', digest: 'none', summary: 'none' },
      agents: { work: () => Promise.reject(new Error('not asked here')) },
      checks: Object.entries(checks).map(([name, given]) =>
        openCheck(name, given, () => files, ran),
      ),
      async close() {
        closed += 1
      },
    }
  }
  const certifier = createCertifier({
    reader: trees,
    seals: {},
    changes: 'ask',
    consultants: [],
    answers: {
      read: async (key) => answered.get(key) ?? [],
      write: async (key, answers) => void answered.set(key, answers),
    },
    baselines: {
      read: async (key) => kept.get(key),
      write: async (key, baseline) => void kept.set(key, baseline),
    },
    open,
    commandInstead: async () => 'npm test',
    issue: async (certified) => {
      issued.push(certified)
      return 'c'.repeat(64) as CertificateId
    },
    token: () => 'token',
    now: () => (now += 1),
    ...parts,
  })
  const certify = (
    files: Files,
    more: Partial<Subject> = {},
    given: Partial<CertifyContext> = {},
  ) =>
    certifier.certify(subjectOf(trees.put(base), trees.put(files), Object.keys(checks), more), {
      ...context,
      ...given,
    })
  return { certify, issued, opened, ran, closed: () => closed }
}

function openCheck(
  name: string,
  given: GivenCheck,
  files: () => { readonly [path: string]: string },
  ran: string[],
): OpenCheck {
  const { says, ...more } = typeof given === 'function' ? { says: given } : given
  let times = 0
  return {
    name,
    kind: 'command',
    describes: [name],
    toolDigest: 'digest',
    existing: 'fix',
    outputs: [],
    names: [],
    ...more,
    run: async ({ signal }) => {
      ran.push(name)
      times += 1
      return { status: 'met', output: `${name} printed`, ...(await says(files(), times, signal)) }
    },
  }
}

const subjectOf = (
  from: TreeId,
  tree: TreeId,
  checks: readonly string[],
  more: Partial<Subject>,
): Subject => ({
  run: 'run' as RunId,
  name: 'brave-otter',
  loop: 'fix',
  codeDigest: 'code',
  iteration: 1,
  condition: 'checks-pass',
  checks,
  evidence: {},
  tree,
  base: from,
  spent: { tokens: 0, costMicros: 0 },
  limits: defaultLimits,
  activeMs: 1,
  answers: [],
  ...more,
})

const context: CertifyContext = {
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  step: 'certify:checks-pass#1' as StepId,
  iteration: 1,
  work: async () => ({ status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 0 }),
  callTool: async () => ({ ok: false, output: null }),
}

export const met = (tree?: TreeId) => ({
  status: 'met' as CheckStatus,
  iteration: 1,
  ...(tree === undefined ? {} : { tree }),
})

export const codesOf = (found: Awaited<ReturnType<ReturnType<typeof createWorld>['certify']>>) =>
  found.type === 'refused' ? found.refusals.map(({ code }) => code) : found.type
