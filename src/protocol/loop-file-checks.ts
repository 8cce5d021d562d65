/**
 * How `checks` of a loop file is written: a table of names, or a list of standard conditions and of
 * checks that say their own name. One form for each kind, told apart by the key that it must have.
 */

import { z } from 'zod'
import {
  defined,
  existingFailures,
  type StandardCondition,
  standardConditions,
} from '../loop/index.ts'
import type { CheckSettings, CommandCheckSettings } from './loop-file.ts'
import { agentSchema } from './loop-file-agents.ts'
import { unknownName } from './loop-file-issues.ts'
import {
  duration,
  environmentName,
  expects,
  form,
  innerPath,
  key,
  keys,
  list,
  program,
  table,
  text,
  toolName,
} from './loop-file-values.ts'
import { json } from './values.ts'

const timeoutMs = 600_000
const checksMax = 50

const timeout = () => key(duration().prefault('10m'), 'How long the check may take.', '2m')

const name = () =>
  form(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'the name of a check: letters, digits, ".", "-" and "_", at most 64',
  )

/** What every check may have. */
const shared = () => ({
  existing: key(
    z.enum(existingFailures).prefault('ask'),
    'What becomes of a failure that was there before the run began: fix it, allow it as long as it gets no worse, or ask once nothing else fails.',
    'allow',
  ),
  outputs: key(
    list(innerPath('a path in the workspace, such as dist'), 'a list of paths in the workspace', {
      max: 50,
    }).prefault([]),
    'Files and folders that the check makes and that checks after it need.',
    ['dist'],
  ),
})

const variables = () =>
  key(
    table(
      environmentName(),
      z.string({ error: expects('text (put it in quotes)') }),
      'names and values of environment variables',
      100,
    ).prefault({}),
    'Environment variables that the check is given besides the usual ones.',
    { CI: '1' },
  )

const conditionName = () =>
  z.enum(standardConditions, {
    error: ({ input }) =>
      typeof input === 'string'
        ? unknownName('standard condition', input, standardConditions)
        : expects(`one of ${standardConditions.join(', ')}`)({ input }),
  })

/** It would be run as a command by that name, which there is none of. */
const commandText = () =>
  text(100_000).refine((written) => !isStandard(written), {
    error: ({ input }) =>
      `${String(input)} is a standard condition, not a command: write { condition: ${String(input)} }`,
  })

const isStandard = (written: string): written is StandardCondition =>
  standardConditions.some((one) => one === written)

const command = () => ({
  run: key(
    z.union([commandText(), program()], {
      error: ({ input }) =>
        input === undefined
          ? expects('text, or a program and its arguments')({ input })
          : undefined,
    }),
    'A command. Text is run by /bin/sh -c; a list is run as it is. It passes when it exits with 0.',
    'npm test',
    ['npx', 'biome', 'check'],
  ),
  timeout: timeout(),
  env: variables(),
  junit: key(
    innerPath('a path in the workspace, such as reports/junit.xml').optional(),
    'The file in which it reports its tests as JUnit XML, for test runners that are not known.',
    'reports/junit.xml',
  ),
  ...shared(),
})

const conditionSettings = () => ({
  timeout: key(
    duration().prefault('30s'),
    'How long the check may take; 30s unless told, as for all standard conditions.',
    '2m',
  ),
  env: variables(),
  ...shared(),
})

const condition = () => ({
  condition: key(
    conditionName(),
    'A standard condition: the usual command for it in a project of this kind.',
    'all_tests_pass',
  ),
  ...conditionSettings(),
})

const tool = () => ({
  tool: key(
    toolName(),
    'A tool: a built-in one, or <server>__<tool>. It passes when the call succeeds.',
    'tracker__open_bugs',
  ),
  args: key(
    table(z.string(), json, 'names and values', 1000).prefault({}),
    'The arguments of the call.',
    { project: 'sum' },
  ),
  expect: key(
    json.exactOptional(),
    'What the call must give, as a value or as text that is that value in JSON; else it does not pass.',
    { open: 0 },
  ),
  timeout: timeout(),
  ...shared(),
})

const judge = () => ({
  judge: key(
    agentSchema.clone(),
    'An agent that judges: written as under agent. It may only read, and answers with pass, fail or unclear.',
    'claude',
    { model: 'anthropic/claude-sonnet-5' },
  ),
  prompt: key(
    text(100_000),
    'What it is to judge by. It is also shown what changed since the run began.',
    'Is every public function of the change documented?',
  ),
  timeout: timeout(),
  ...shared(),
})

const check = z
  .union([
    commandText(),
    program(),
    keys(command()),
    keys(condition()),
    keys(tool()),
    keys(judge()),
  ])
  .transform(settingsOf)

type Written =
  | z.output<z.ZodObject<ReturnType<typeof command>>>
  | z.output<z.ZodObject<ReturnType<typeof condition>>>
  | z.output<z.ZodObject<ReturnType<typeof tool>>>
  | z.output<z.ZodObject<ReturnType<typeof judge>>>

function settingsOf(written: string | readonly string[] | Written): CheckSettings {
  if (typeof written === 'string' || !('timeout' in written)) return plainCommand(written)
  const { timeout: limitMs, existing, outputs } = written
  const given = { timeoutMs: limitMs, existing, outputs }
  if ('run' in written) {
    const { run, env, junit } = written
    const report = defined({ junit })
    return { type: 'command', command: commandOf(run), env, ...report, ...given }
  }
  if ('condition' in written) {
    return { type: 'condition', condition: written.condition, env: written.env, ...given }
  }
  if ('judge' in written) {
    return { type: 'judge', agent: written.judge, prompt: written.prompt, ...given }
  }
  const expected = defined({ expect: written.expect })
  return { type: 'tool', tool: written.tool, args: written.args, ...expected, ...given }
}

const plainCommand = (written: string | readonly string[]): CommandCheckSettings => ({
  type: 'command',
  command: commandOf(written),
  env: {},
  timeoutMs,
  existing: 'ask',
  outputs: [],
})

const commandOf = (written: string | readonly string[]): readonly string[] =>
  typeof written === 'string' ? ['/bin/sh', '-c', written] : written

const ownName = () => key(name(), 'The name of the check, unlike that of any other.', 'unit')

/** A check with its name; what is nothing but the name of a standard condition is that one. */
const named = z
  .union([
    conditionName(),
    keys({
      name: key(conditionName(), 'A standard condition, which is its name too.', 'all_tests_pass'),
      ...conditionSettings(),
    }),
    keys({ name: ownName(), ...condition() }),
    keys({ name: ownName(), ...command() }),
    keys({ name: ownName(), ...tool() }),
    keys({ name: ownName(), ...judge() }),
  ])
  .transform((written): readonly [string, CheckSettings] => {
    if (typeof written === 'string') return [written, settingsOf(standard(written))]
    const { name: its, ...rest } = written
    const isWhole = 'run' in rest || 'condition' in rest || 'tool' in rest || 'judge' in rest
    return [its, settingsOf(isWhole ? rest : { ...rest, condition: its as StandardCondition })]
  })

const standardSchema = keys(condition())
const standard = (its: StandardCondition): z.output<typeof standardSchema> =>
  standardSchema.parse({ condition: its })

const listed = list(named, 'a list of checks', { max: checksMax })
  .superRefine((entries, context) => {
    // What is wrong in itself is still as it was written.
    const names = entries.map((entry: unknown) => (Array.isArray(entry) ? String(entry[0]) : ''))
    for (const [index, its] of names.entries()) {
      if (its === '' || names.indexOf(its) === index) continue
      const message = `there are two checks named ${its}: give this one another name`
      context.addIssue({ code: 'custom', path: [index], message })
    }
  })
  .transform((entries): Record<string, CheckSettings> => Object.fromEntries(entries))

export const checksSchema: z.ZodType<{ readonly [name: string]: CheckSettings }> = z.union([
  table(name(), check, 'names of checks, each with a command', checksMax),
  listed,
])
