/** Cases about ends: by a signal, and what is left after one. */

import {
  type CasePlan,
  lateMs,
  pause,
  requireAtWork,
  requireQuiet,
  type Stage,
  workOn,
} from './contract-case.ts'
import { ContractError, isDone, requireEnd, requireReport } from './contract-rules.ts'
import type { Scene, Trial } from './open-scene.ts'

export const stopCases: readonly CasePlan[] = [
  { name: 'does nothing if it was stopped before it started', play: doesNothingWhenStopped },
  { name: 'leaves nothing behind when it is done', leavesNothing: true, play: isOverAtItsEnd },
]

async function doesNothingWhenStopped(scene: Scene, { task }: Stage): Promise<void> {
  const trial = await scene.start(task('plover'), { isStopped: true })
  const end = await trial.end()
  requireEnd(end, trial.stop())
  const { calls, reservations } = trial
  if (calls.length + reservations.length > 0 || scene.unreserved.length > 0) {
    throw new ContractError('It went to work although it was stopped. Look at the signal first.')
  }
  if (end.type === 'reported' && isDone(requireReport(end))) {
    throw new ContractError('It was stopped before it began, and calls its work done.')
  }
}

async function isOverAtItsEnd(scene: Scene, stage: Stage): Promise<void> {
  const { trial } = await workOn(scene, stage)
  await requireQuiet(trial)
}

export const instant: readonly CasePlan[] = [
  {
    name: 'ends before it could be stopped',
    isSlow: true,
    async play(scene, { task, startMs }) {
      const trial = await scene.start(task('egret'))
      await pause(startMs)
      if (!trial.isOver()) {
        throw new ContractError('It is not instant. Leave `isInstant` out: it has to be stoppable.')
      }
    },
  },
]

export const stoppable: readonly CasePlan[] = [
  { name: 'ends when it is stopped while it works', isSlow: true, play: endsWhenStopped },
  {
    name: 'leaves nothing behind when it is stopped',
    isSlow: true,
    leavesNothing: true,
    async play(scene, stage) {
      await requireQuiet(await endsWhenStopped(scene, stage))
    },
  },
  { name: 'continues when another of its tasks is stopped', isSlow: true, play: goesOn },
]

async function endsWhenStopped(scene: Scene, stage: Stage): Promise<Trial> {
  const trial = await scene.start(stage.task('egret'))
  await pause(stage.startMs)
  requireAtWork(trial)
  const reason = trial.stop()
  const end = await trial.end()
  requireEnd(end, reason)
  if (end.type === 'reported' && isDone(requireReport(end))) {
    throw new ContractError('It was stopped in the midst, and calls its work done.')
  }
  return trial
}

async function goesOn(scene: Scene, { task, startMs }: Stage): Promise<void> {
  const [one, other] = await scene.startBoth(task('heron'), task('walrus'))
  await pause(startMs)
  requireAtWork(one)
  one.stop()
  await one.end()
  await pause(lateMs)
  if (other.isOver()) {
    throw new ContractError(
      'One task was stopped, and the other ended. Follow your own signal only.',
    )
  }
  const reason = other.stop()
  requireEnd(await other.end(), reason)
}
