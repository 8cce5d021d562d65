import { describe, expect, test } from 'vitest'
import type { GivenAnswer, Subject, TreeReader } from '../../engine/index.ts'
import { defaultLimits, type RunId, type TreeId } from '../../loop/index.ts'
import { type ApprovalRequest, askApproval, createApprovalKey } from './ask-approval.ts'
import type { Concern } from './observations.ts'
import { readReview, toReviewCode } from './review.ts'

const base = 'base' as TreeId
const tree = 'tree' as TreeId

const concern: Concern = {
  code: 'other-changed',
  message: '2 files outside the scope differ.',
  mayBeApproved: true,
}

/** Every file differs; its patch has the given length. */
const createReader = (bytes: Readonly<Record<string, number>>): TreeReader => ({
  list: async (of) =>
    new Map(Object.keys(bytes).map((path) => [path, { content: `${of} ${path}`, kind: 'file' }])),
  read: async () => undefined,
  patch: async (_before, _after, [path = '']) => {
    const head = `diff of ${path}\n`
    return head + '+'.repeat((bytes[path] ?? 0) - head.length)
  },
})

const createSubject = (answers: readonly GivenAnswer[], iteration: number): Subject => ({
  run: 'r1' as RunId,
  name: 'calm-otter',
  loop: 'fix',
  codeDigest: 'code',
  iteration,
  condition: 'test',
  checks: ['test'],
  evidence: {},
  spent: { tokens: 0, costMicros: 0 },
  limits: defaultLimits,
  activeMs: 0,
  answers,
  tree,
  base,
})

function createRequest(
  bytes: Readonly<Record<string, number>>,
  first: readonly string[],
  { answers = [], iteration = 2 }: { answers?: readonly GivenAnswer[]; iteration?: number } = {},
): ApprovalRequest {
  return {
    subject: createSubject(answers, iteration),
    concerns: [concern],
    reader: createReader(bytes),
    review: { base, tree, first },
    changes: 'ask',
  }
}

async function askQuestion(request: ApprovalRequest) {
  const asked = await askApproval(request)
  if (asked.type !== 'asks') throw new Error('It must ask.')
  return asked.question
}

const answered = (request: ApprovalRequest, answer: string): ApprovalRequest => ({
  ...request,
  subject: createSubject(
    [{ key: createApprovalKey(request), answer, by: 'person', who: 'ana' }],
    2,
  ),
})

describe('a question about a change', () => {
  test('shows what was observed, then what needs an approval in order, then the work', async () => {
    const bytes = { 'a.js': 100, 'z.test.js': 100, 'spec.md': 100 }
    const { text, confirm, review } = await askQuestion(
      createRequest(bytes, ['z.test.js', 'spec.md']),
    )
    const positions = [
      concern.message,
      'Changed outside the work (2 files):',
      'diff of z.test.js',
      'diff of spec.md',
      'The work (1 file):',
      'diff of a.js',
      'loopctl diff --review calm-otter',
    ].map((part) => text.indexOf(part))
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(positions[0]).toBeGreaterThan(0)
    expect(confirm).toBeUndefined()
    expect(review).toEqual({
      base,
      tree,
      first: ['z.test.js', 'spec.md'],
      observed: concern.message,
    })
    expect(text).not.toContain('Not shown')
  })

  test('says exactly which parts of the work it does not show, and can be approved', async () => {
    const request = createRequest({ 'a.js': 15_000, 'b.js': 18_000, 'c.js': 4000, 't.js': 100 }, [
      't.js',
    ])
    const { text, confirm } = await askQuestion(request)
    expect(text).toContain('The work (3 files, 2 shown):')
    expect(text).toContain('Not shown: 1 file, 18,000 bytes:\n  b.js (18,000 bytes)')
    expect(confirm).toBeUndefined()
    expect((await askApproval(answered(request, 'approve'))).type).toBe('approved')
  })

  test('that does not show what needs an approval requires the code of the whole review', async () => {
    const request = createRequest({ 'a.test.js': 150_000, 'b.test.js': 100_000 }, [
      'a.test.js',
      'b.test.js',
    ])
    const { text, confirm, options } = await askQuestion(request)
    const review = await readReview(request.reader, request.review)
    expect(text).toContain('Changed outside the work (2 files, 1 shown):')
    expect(text).toContain('Not shown: 1 file, 100,000 bytes')
    expect(confirm).toEqual({ option: 'approve', code: toReviewCode(review) })
    expect(options).toEqual(['approve', 'reject'])
    expect(text).not.toContain(toReviewCode(review))
    expect((await askApproval(answered(request, 'approve'))).type).toBe('refused')
    const asked = await askApproval(answered(request, `approve ${toReviewCode(review)}`))
    expect(asked).toMatchObject({
      type: 'approved',
      approval: { by: 'ana', codes: ['other-changed'], diffDigest: review.digest },
    })
  })

  test('shows everything if there is no run to look at later', async () => {
    const request = createRequest({ 'a.test.js': 300_000 }, ['a.test.js'], { iteration: 0 })
    const { text, confirm, review } = await askQuestion(request)
    expect(text.length).toBeGreaterThan(300_000)
    expect(text).not.toContain('loopctl diff --review')
    expect([confirm, review]).toEqual([undefined, undefined])
  })

  test('is a different one for different files', () => {
    const one = createRequest({}, ['a.test.js'])
    const other = createRequest({}, ['b.test.js'])
    expect(createApprovalKey(one)).not.toBe(createApprovalKey(other))
  })
})
