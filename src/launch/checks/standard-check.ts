/**
 * A check for a standard condition: runs the usual commands of the project in sequence. It is met if all of them pass.
 * They share its time limit.
 */

import { join } from 'node:path'
import type { Check } from '../../engine/index.ts'
import type { CheckView } from '../agents/command-view.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'
import { keepOutput, withWhole } from './check-output.ts'
import { commandCheck } from './command-check.ts'
import type { StandardCheck } from './resolved-check.ts'

type Answer = Awaited<ReturnType<Check>>

export function standardCheck(
  { condition, commands, env, timeoutMs }: StandardCheck,
  sandbox: Pick<OpenedSandbox, 'commandsFor'>,
  { shows, prefix = [] }: CheckView = {},
): Check {
  return async (context) => {
    const endsAtMs = performance.now() + timeoutMs
    const answers: Answer[] = []
    for (const { argv, folder } of commands) {
      const leftMs = Math.ceil(endsAtMs - performance.now())
      if (leftMs <= 0) return all([...answers, tooLate(condition)])
      const [program = '', ...args] = [...prefix, ...argv]
      const check = commandCheck(program, args, {
        env,
        timeoutMs: leftMs,
        commands: sandbox.commandsFor(argv, shows),
      })
      const { workspace } = context
      const at = workspace === undefined ? undefined : join(workspace, folder)
      const answer = await check({ ...context, workspace: at })
      answers.push({
        ...answer,
        output: `$ ${[folder, ...argv].join(' ').trim()}\n${answer.output}`,
        whole: `$ ${[folder, ...argv].join(' ').trim()}\n${answer.whole ?? answer.output}`,
      })
      if (answer.status !== 'met') break
    }
    return all(answers)
  }
}

const tooLate = (condition: string): Answer => ({
  kind: 'command',
  status: 'timeout',
  output: `${condition}: the earlier commands used up the time limit.`,
})

/** The last result decides, since all before it were met. */
function all(answers: readonly Answer[]): Answer {
  const last = answers.at(-1)
  if (last === undefined)
    return { kind: 'command', status: 'error', output: 'There is nothing to run.' }
  const { whole: _whole, ...rest } = last
  const output = keepOutput(answers.map((answer) => answer.output).join('\n'))
  const whole = answers.map((answer) => answer.whole ?? answer.output).join('\n')
  return { ...rest, ...withWhole(output, whole) }
}
