import { describe, expect, test } from 'vitest'
import {
  acceptProposals,
  chooseTask,
  countTasks,
  findProposals,
  isComplete,
  renderPlan,
  type SealedPlan,
  sealDraft,
  sealPlan,
} from './sealed-plan.ts'

function plan(text: string): SealedPlan {
  const sealed = sealPlan('plan.md', text)
  if (sealed === undefined) throw new Error('no task')
  return sealed
}

describe('the next task', () => {
  test.each<[string, boolean, readonly number[], object]>([
    ['- [R] a\n- [ ] b\n- [ ] c', true, [], { kind: 'implement', task: 1 }],
    ['- [x] a\n- [ ] b', true, [], { kind: 'review', task: 0 }],
    ['- [x] a\n- [ ] b', false, [], { kind: 'implement', task: 1 }],
    ['- [~] a\n- [ ] b', true, [], { kind: 'implement', task: 1 }],
    ['- [~] a\n- [R] b\n- [~] c', true, [0], { kind: 'retry', task: 2 }],
    ['- [~] a\n- [R] b', true, [0], { kind: 'retry', task: 0 }],
    ['- [R] a\n- [R] b', true, [], { kind: 'certify' }],
    ['- [x] a\n- [R] b', false, [], { kind: 'certify' }],
  ])('of %j with review %j and second attempts %j', (text, isReviewed, retried, expected) => {
    expect(chooseTask(plan(text), isReviewed, retried)).toEqual(expected)
  })

  test('is a draft if there is no plan', () => {
    expect(chooseTask(undefined, true, [])).toEqual({ kind: 'draft' })
  })
})

test.each<[string, boolean, number, boolean]>([
  ['- [R] a\n- [x] b', true, 1, false],
  ['- [R] a\n- [x] b', false, 2, true],
  ['- [R] a\n- [~] b', true, 1, false],
  ['- [R] a\n- [ ]? b', true, 1, true],
  ['- [ ] a', true, 0, false],
])('%j with review %j has %i done, complete: %j', (text, isReviewed, done, complete) => {
  expect(countTasks(plan(text), isReviewed).done).toBe(done)
  expect(isComplete(plan(text), isReviewed)).toBe(complete)
})

describe('what an agent makes of the plan', () => {
  const sealed = plan('# Plan\n- [R] a\n- [ ] b\n- [ ] c\n')
  test.each<[string, string | undefined, readonly object[]]>([
    ['the same', '# Plan\n- [R] a\n- [ ] b\n- [ ] c\n', []],
    ['other marks', '- [R] a\n- [R] b\n- [x] c\n', []],
    ['another task', '- [R] a\n- [ ] b\n- [ ] c\n- [ ] d\n', [{ change: 'added', text: 'd' }]],
    ['fewer tasks', '- [R] a\n- [ ] c\n', [{ change: 'dropped', text: 'b' }]],
    [
      'another wording',
      '- [R] a\n- [ ] b2\n- [ ] c\n',
      [{ change: 'reworded', text: 'b2', before: 'b' }],
    ],
    ['another order', '- [ ] c\n- [R] a\n- [ ] b\n', []],
    ['an empty file', '', ['a', 'b', 'c'].map((text) => ({ change: 'dropped', text }))],
    ['no file', undefined, ['a', 'b', 'c'].map((text) => ({ change: 'dropped', text }))],
    [
      'a task in a comment',
      '- [R] a\n<!-- - [ ] b -->\n- [ ] c\n',
      [{ change: 'dropped', text: 'b' }],
    ],
  ])('is a proposal: %s', (_what, text, expected) => {
    expect(findProposals(sealed, text)).toEqual(expected)
  })

  test('changes the plan once a person accepts it', () => {
    const proposals = findProposals(sealed, '- [R] a\n- [ ] b2\n- [ ] d\n')
    expect(proposals.map(({ change }) => change)).toEqual(['reworded', 'reworded'])
    expect(renderPlan(acceptProposals(sealed, proposals).plan)).toBe(
      '# Plan\n- [R] a\n- [ ] b2\n- [ ] d\n',
    )
    const others = [
      { change: 'dropped', text: 'b' },
      { change: 'added', text: 'e' },
    ] as const
    const { plan: agreed, moved } = acceptProposals(sealed, others)
    expect([...moved]).toEqual([
      [0, 0],
      [2, 1],
    ])
    expect(renderPlan(agreed)).toBe(
      '# Plan\n- [R] a\n- Dropped: b\n- [ ] c\n\n\n## Added\n\n- [ ] e\n',
    )
    expect(agreed.tasks.map(({ text }) => text)).toEqual(['a', 'c', 'e'])
  })
})

test('nothing of a drafted plan is done, whatever its marks say', () => {
  const drafted = sealDraft('plan.md', '- [R] a\n- [x] b\n- [~] c\n- [ ] d\n')
  expect(isComplete(drafted, true)).toBe(false)
  expect(drafted && renderPlan(drafted)).toBe('- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n')
})

test.each(['```\ncode', '# Verification\n- [ ] by hand', '<!-- note'])(
  'accepted tasks are part of a plan that ends with %j',
  (end) => {
    const { plan: agreed, moved } = acceptProposals(plan(`- [R] a\n${end}\n`), [
      { change: 'added', text: 'b' },
    ])
    expect(moved.get(0)).toBe(agreed.tasks.findIndex(({ text }) => text === 'a'))
    expect(Object.fromEntries(agreed.tasks.map(({ text, mark }) => [text, mark]))).toEqual({
      a: 'reviewed',
      b: 'open',
    })
  },
)

test('a task with new words has to be done again', () => {
  const proposals = [{ change: 'reworded', text: 'a, with tax', before: 'a' }] as const
  const agreed = acceptProposals(plan('- [R] a\n- [R] b\n'), proposals)
  expect(renderPlan(agreed.plan)).toBe('- [ ] a, with tax\n- [R] b\n')
})

test('long, spaced and equal tasks are found again when proposals are accepted', () => {
  const long = `build  ${'x'.repeat(1990)} and the end`
  const before = plan(`- [R] same\r\n- [ ] ${long}\r\n- [ ] same\r\n- [ ] last\r\n`)
  const proposals = findProposals(before, `- [R] same\n- [ ] short\n- [ ] last\n`)
  const { plan: agreed, moved } = acceptProposals(before, proposals)
  expect(agreed.tasks.map(({ text, mark }) => [text, mark])).toEqual([
    ['same', 'reviewed'],
    ['short', 'open'],
    ['last', 'open'],
  ])
  expect([...moved]).toEqual([
    [0, 0],
    [1, 1],
    [3, 2],
  ])
  expect(renderPlan(agreed)).toContain('- [ ] short\r\n')
})

test('a plan of any size is compared in a time that grows with its size only', () => {
  const lines = (count: number, word: string) =>
    Array.from({ length: count }, (_, index) => `- [ ] ${word} ${index} ${'y'.repeat(400)}`).join(
      '\n',
    )
  const before = plan(lines(1000, 'a'))
  expect(findProposals(before, lines(10_000, 'b'))).toHaveLength(50)
  const agreed = acceptProposals(before, findProposals(before, lines(1000, 'b')))
  expect(agreed.moved.size).toBe(1000)
})
