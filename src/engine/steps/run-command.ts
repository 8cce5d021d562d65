/**
 * A command of the loop, in a copy of the workspace. It changes no file, so it takes no turn at the workspace and several
 * run at the same time; how many is up to its port.
 *
 * E2. A command with a report never runs again.
 */

import { type Remaining, remaining, type StepOptions, toJson } from '../../loop/index.ts'
import type { CommandReport, CommandTask } from '../../loop/step/command-task.ts'
import type { Branch } from '../live-run.ts'
import { askPolicyAboutCommand } from '../policy.ts'
import { askStep } from './ask-step.ts'
import { required } from './run-check.ts'

export async function runCommand(
  branch: Branch,
  name: string,
  task: CommandTask,
  options: StepOptions,
): Promise<CommandReport> {
  const { number: iteration, run } = branch.iteration
  const commands = required(run.ports.commands, `the command "${name}"`)
  const report = await askStep(branch, {
    kind: 'command',
    name,
    options: { ...costOf(task), ...options },
    files: 'nothing',
    async run(context, step) {
      const ruling = await askPolicyAboutCommand(run, { iteration, step })
      if (ruling?.isDenied === true) return denied(ruling.reason ?? 'no rule permits it')
      const left = (): Remaining => remaining(run.recorder.state)
      const made = await commands.run(task, { ...context, iteration, step, remaining: left })
      // What was reserved is charged, unless something else is reported.
      if (made.reused === true && task.costMicros !== undefined) context.spend(nothing)
      return toJson(made)
    },
    finished(result) {
      const { output } = result as unknown as CommandReport
      return output === undefined ? {} : { names: [output.blob] }
    },
  })
  return report as unknown as CommandReport
}

const nothing = { tokens: 0, costMicros: 0 }

/** E4. Its cost fits into the budget, or it does not start. */
const costOf = ({ costMicros = 0 }: CommandTask): StepOptions =>
  costMicros === 0 ? {} : { reserve: { tokens: 0, costMicros } }

const denied = (reason: string): CommandReport => ({
  ended: 'denied',
  problem: `the policy does not allow this command: ${reason}`,
  stdout: '',
  stderr: '',
  durationMs: 0,
})
