/** A clean checkout in memory whose checks really run small JavaScript tests. */

import assert from 'node:assert/strict'
import { compileFunction } from 'node:vm'
import type { CertifyContext, Subject, UnboundCheckResult } from '../../src/engine/index.ts'
import { type Certified, type CertifierParts } from '../../src/evidence/certify/certification.ts'
import { createCertifier } from '../../src/evidence/certify/certifier.ts'
import type {
  BaseResult,
  CertificationCheckout,
  CertificationCheckoutRequest,
  Observation,
  ObservedTest,
  OpenCheck,
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
type Texts = { readonly [path: string]: string }

export const base: Files = {
  'package.json': '{ "main": "src/sum.js", "scripts": { "test": "node --test" } }',
  'src/sum.js': 'export const sum = (a, b) => a - b\n',
  'test/sum.test.js': `import test from 'node:test'
import assert from 'node:assert/strict'
import { compileFunction } from 'node:vm'
import { sum } from '../src/sum.js'

test('adds nothing', () => {
  assert.equal(sum(5, 0), 5)
})
test('adds two', () => {
  const result = sum(1, 2)
  assert.equal(result, 3)
})
`,
}
export const mended: Files = { ...base, 'src/sum.js': 'export const sum = (a, b) => a + b\n' }

/** The result of a check on the files in the checkout. */
export type Says = (
  files: Texts,
  times: number,
  signal: Signal,
) => Partial<UnboundCheckResult> | Promise<Partial<UnboundCheckResult>>

/** Runs every `*.test.js` of the checkout with the code in `src/`. */
export function runTests(files: Texts): Pick<Observation, 'result' | 'tests' | 'read'> {
  const paths = Object.keys(files).filter((path) => path.endsWith('.test.js'))
  const code = Object.keys(files).filter((path) => path.startsWith('src/'))
  const product = code.map((path) => plain(files[path] ?? '')).join('\n')
  const tests = paths.flatMap((file) => testsIn(file, product, plain(files[file] ?? '')))
  const failed = tests.filter(({ status }) => status === 'failed')
  return {
    tests,
    read: [...paths, ...code, 'package.json'],
    result: {
      status: failed.length === 0 ? 'met' : 'not-met',
      output: failed.map(({ id, message = '' }) => `${id}: ${message}`).join('\n'),
    },
  }
}

const plain = (text: string): string =>
  text.replaceAll(/^(?:\/\*.*\*\/ )?import .*$/gm, '').replaceAll(/^export /gm, '')

function testsIn(file: string, product: string, text: string): readonly ObservedTest[] {
  const found: ObservedTest[] = []
  const test = (title: string, body: () => void): void => {
    const about = { id: `${file} > ${title}`, file, titles: [title] }
    try {
      body()
      found.push({ ...about, status: 'passed' })
    } catch (error) {
      found.push({ ...about, status: 'failed', message: String(error) })
    }
  }
  const run = (): unknown =>
    compileFunction(`${product}\n${text}`, ['test', 'assert'])(test, assert)
  try {
    run()
    return found
  } catch (error) {
    const id = `${file} > (file)`
    return [{ id, file, titles: ['(file)'], status: 'failed', message: String(error) }]
  }
}

type Observe = (files: Texts, times: number) => Partial<Observation>
type GivenCheck = Partial<OpenCheck> & { says?: Says; observes?: Observe }

interface World {
  readonly checks?: { readonly [name: string]: GivenCheck }
  readonly parts?: Partial<CertifierParts>
}

export function createWorld({ checks = { test: { observes: runTests } }, parts = {} }: World = {}) {
  const trees = createMemoryTrees()
  const issued: Certified[] = []
  const opened: CertificationCheckoutRequest[] = []
  const ran: string[] = []
  const bases = keepBases()
  let closed = 0
  let now = 0
  const open = async (request: CertificationCheckoutRequest): Promise<CertificationCheckout> => {
    opened.push(request)
    let files: Texts = {}
    return {
      checkout: {
        path: '/checkout',
        async reset(tree, { over = new Map() } = {}) {
          files = trees.over(tree, over)
        },
        written: async () => [],
        remove: async () => undefined,
      },
      layer: { from: 'none', digest: 'none', summary: 'none' },
      agents: { work: () => Promise.reject(new Error('not asked here')) },
      checks: Object.entries(checks).map(([name, given]) =>
        openCheck(
          name,
          given,
          () => files,
          (one) => {
            ran.push(one)
            return ran.filter((other) => other === one).length
          },
        ),
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
    required: 'work-alone',
    quick: false,
    bases,
    open,
    findAlternativeCommand: async () => 'npm test',
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
    before: Files = base,
  ) =>
    certifier.certify(subjectOf(trees.put(before), trees.put(files), Object.keys(checks), more), {
      ...context,
      ...given,
    })
  return { certify, issued, opened, ran, closed: () => closed }
}

function keepBases(): CertifierParts['bases'] {
  const kept = new Map<string, BaseResult>()
  return {
    read: async (key) => kept.get(key),
    write: async (key, answer) => void kept.set(key, answer),
  }
}

function openCheck(
  name: string,
  given: GivenCheck,
  files: () => Texts,
  count: (name: string) => number,
): OpenCheck {
  const { says, observes, ...more } = given
  const begin = (): number => count(name)
  const observed = (found: Partial<Observation>): Observation => ({
    result: { status: 'met', output: '' },
    runners: found.tests === undefined ? [] : [{ name: 'node:test', exitCode: 0 }],
    problems: [],
    replaced: [],
    written: [],
    startedAtMs: 0,
    endedAtMs: 1,
    ...found,
  })
  return {
    name,
    kind: 'command',
    command: [name],
    toolDigest: 'digest',
    existing: 'fix',
    outputs: [],
    names: [],
    ...more,
    run: async ({ signal }) => {
      const found = await says?.(files(), begin(), signal)
      return { status: 'met', output: `${name} printed`, ...found }
    },
    ...(observes === undefined
      ? {}
      : { observe: async () => observed(observes(files(), begin())) }),
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

type Found = Awaited<ReturnType<ReturnType<typeof createWorld>['certify']>>

/** The codes of refusals, else the type of the result. */
export const codesOf = (found: Found): readonly string[] | string =>
  found.type === 'refused' ? found.refusals.map(({ code }) => code) : found.type

export const textOf = (found: Found): string =>
  found.type === 'asks' ? found.question.text : JSON.stringify(found)
