/** Cases about the budget. E4: nothing is spent that was not reserved. */

import { type Amount, add, isAmount, zero } from '../../loop/index.ts'
import { type CasePlan, workOn } from './contract-case.ts'
import { ContractError, isDone, requireEnd, requireReport } from './contract-rules.ts'

export const spending: readonly CasePlan[] = [
  {
    name: 'reserves before it spends',
    async play(scene, stage) {
      const { trial } = await workOn(scene, stage)
      const [first] = scene.unreserved
      if (first !== undefined) throw new ContractError(first)
      if (trial.reservations.length === 0) {
        throw new ContractError('It reserved nothing. Call context.reserve, or leave `spends` out.')
      }
      for (const { worst, settled } of trial.reservations) requireWithin(worst, settled)
    },
  },
  {
    name: 'settles what it reserved, once',
    async play(scene, stage) {
      const { trial } = await workOn(scene, stage)
      const wrong = trial.reservations.filter(({ settled }) => settled.length !== 1)
      if (wrong.length === 0) return
      const times = wrong.map(({ settled }) => settled.length).join(', ')
      const advice = 'Settle each once: what is not settled is charged at its worst.'
      throw new ContractError(
        `${wrong.length} of ${trial.reservations.length} reservations were settled ${times} times. ${advice}`,
      )
    },
  },
  {
    name: 'reports the usage that it settled',
    async play(scene, stage) {
      const { trial, report } = await workOn(scene, stage)
      const settled = trial.reservations.flatMap((one) => one.settled).reduce(add, zero)
      const { usage } = report
      if (usage.tokens === settled.tokens && usage.costMicros === settled.costMicros) return
      throw new ContractError(
        `It reported ${JSON.stringify(usage)} and settled ${JSON.stringify(settled)}.`,
      )
    },
  },
  {
    name: 'does not spend what the budget refuses',
    async play(scene, { task }) {
      const trial = await scene.start(task('knot'), { limits: { tokens: 0, costMicros: 0 } })
      const end = await trial.end()
      requireEnd(end)
      const [first] = scene.unreserved
      if (first !== undefined) throw new ContractError(first)
      if (end.type === 'reported' && isDone(requireReport(end))) {
        throw new ContractError('Its reservation was refused, and it calls its work done.')
      }
    },
  },
]

export const frugal: readonly CasePlan[] = [
  {
    name: 'spends nothing',
    async play(scene, stage) {
      const { trial, report } = await workOn(scene, stage)
      const { tokens, costMicros } = report.usage
      if (trial.reservations.length + scene.unreserved.length + tokens + costMicros === 0) return
      throw new ContractError('It spends. Say `spends: true`, so that its account is looked at.')
    },
  },
]

function requireWithin(worst: Amount, settled: readonly Amount[]): void {
  for (const spent of settled) {
    const isWithin =
      isAmount(spent) && spent.tokens <= worst.tokens && spent.costMicros <= worst.costMicros
    if (isWithin) continue
    throw new ContractError(
      `It settled ${JSON.stringify(spent)} where ${JSON.stringify(worst)} was reserved at worst.`,
    )
  }
}
