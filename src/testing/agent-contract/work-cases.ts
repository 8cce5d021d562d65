/** Cases about the work itself: its results and its input. */

import { type CasePlan, requireAlike, requireStatus, type Stage, workOn } from './contract-case.ts'
import { ContractError, isDone, requireEnd, requireNotes, requireReport } from './contract-rules.ts'
import type { Scene } from './open-scene.ts'

const promptBytes = 4 * 1024 * 1024
const outputChars = 1024 * 1024

export const workCases: readonly CasePlan[] = [
  { name: 'reports in the right shape, with the expected status', play: reportsWell },
  { name: 'writes valid notes', play: notesWell },
  { name: 'does the same when it gets the same task again', play: doesItAgain },
  { name: 'does two tasks at once without mixing them', play: doesTwoAtOnce },
  { name: 'accepts a prompt of four megabytes', play: takesAHugePrompt },
  { name: 'throws nothing but faults, also for an empty prompt', play: takesAnEmptyPrompt },
]

async function reportsWell(scene: Scene, stage: Stage): Promise<void> {
  const { report } = await workOn(scene, stage)
  requireStatus(report, stage)
}

async function notesWell(scene: Scene, stage: Stage): Promise<void> {
  const { trial } = await workOn(scene, stage)
  requireNotes(trial.notes)
}

async function doesItAgain(scene: Scene, stage: Stage): Promise<void> {
  const first = await workOn(scene, stage)
  const second = await workOn(scene, stage)
  requireAlike(first, second, 'The second time')
}

async function doesTwoAtOnce(scene: Scene, stage: Stage): Promise<void> {
  const alone = await workOn(scene, stage, 'lone')
  const trials = await scene.startBoth(stage.task('heron'), stage.task('walrus'))
  const works = await Promise.all(
    trials.map(async (trial) => ({ trial, report: requireReport(await trial.end()) })),
  )
  for (const work of works) requireAlike(alone, work, 'Beside another task')
  const [heron, walrus] = trials
  if (heron.trace().includes('walrus') || walrus.trace().includes('heron')) {
    throw new ContractError(
      'Words of one task were in the work on the other. Keep nothing of a task outside of `work`.',
    )
  }
}

async function takesAHugePrompt(scene: Scene, { task }: Stage): Promise<void> {
  const { prompt, ...more } = task('tern')
  const long = `${prompt}\n${'All of this matters. '.repeat(promptBytes / 21)}`
  const trial = await scene.start({ ...more, prompt: long })
  requireEnd(await trial.end())
}

async function takesAnEmptyPrompt(scene: Scene): Promise<void> {
  const trial = await scene.start({ prompt: '' })
  requireEnd(await trial.end())
}

export const withTools: readonly CasePlan[] = [
  {
    name: 'treats failures of tools as data',
    async play(scene, { task }) {
      const tool = (): never => {
        throw new Error(`The disk is full. ${'x'.repeat(outputChars)}`)
      }
      const trial = await scene.start(task('rail'), { tool })
      requireReport(await trial.end())
      if (trial.calls.length === 0) {
        throw new ContractError('It called no tool. Give a `task` for which it does.')
      }
    },
  },
]

export const withoutTools: readonly CasePlan[] = [
  {
    name: 'calls no tool',
    async play(scene, stage) {
      const { trial } = await workOn(scene, stage)
      const [first] = trial.calls
      if (first === undefined) return
      throw new ContractError(`It called ${first.slice(0, 100)}. Give the contract its \`tools\`.`)
    },
  },
]

export const saysThatItNeedsAWorkspace: CasePlan = {
  name: 'reports that it needs a workspace',
  async play(scene, { task }) {
    const trial = await scene.start(task('stilt'), { withoutWorkspace: true })
    const end = await trial.end()
    requireEnd(end)
    if (end.type === 'reported' && isDone(requireReport(end))) {
      throw new ContractError('It had no workspace, and calls its work done.')
    }
  },
}

export const doesWithoutAWorkspace: CasePlan = {
  name: 'works without a workspace',
  async play(scene, stage) {
    const { report } = await workOn(scene, stage, 'stilt', { withoutWorkspace: true })
    requireStatus(report, stage)
  },
}
