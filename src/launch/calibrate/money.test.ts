import { expect, test } from 'vitest'
import { createJudgeBudget } from './money.ts'

const dollars = (costMicros: number) => ({ tokens: 1, costMicros })

test('a worst case that does not fit is refused, and then the budget is over', async () => {
  const money = createJudgeBudget(100)
  const first = await money.reserve(dollars(60))
  await expect(money.reserve(dollars(60))).rejects.toThrow('spent')
  expect(money.isOver()).toBe(true)
  await first.settle(dollars(10))
  await first.settle(dollars(10))
  expect(money.spentMicros()).toBe(10)
  expect(money.remainingMicros()).toBe(90)
})

test('open reservations and reported amounts count as spent', async () => {
  const money = createJudgeBudget(100)
  await money.reserve(dollars(60))
  money.spend(dollars(30))
  expect(money.spentMicros()).toBe(90)
  expect(money.isOver()).toBe(false)
  money.spend(dollars(30))
  expect(money.isOver()).toBe(true)
})
