/**
 * The schema of `checks` in a loop file: a table of names, or a list of standard conditions and of
 * checks with a `name`. Each kind has one form, recognized by its required key.
 */

import { z } from 'zod'
import {
  defined,
  existingFailures,
  type StandardCondition,
  standardConditions,
} from '../../loop/index.ts'
import { json } from '../values.ts'
import { agentSchema } from './agent-schema.ts'
import { unknownName } from './issue-problems.ts'
import type { CheckSettings, CommandCheckSettings } from './loop-file.ts'
import {
  duration,
  environmentName,
  expects,
  innerPath,
  key,
  keys,
  list,
  matching,
  program,
  table,
  text,
  toolName,
} from './value-schemas.ts'

const timeoutMs = 600_000
const checksMax = 50

const timeout = () => key(duration().prefault('10m'), 'How long the check may take.', '2m')

const name = () =>
  matching(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a check name: letters, digits, ".", "-" and "_", at most 64',
  )

/** Settings that every kind of check has. */
const shared = () => ({
  existing: key(
    z.enum(existingFailures).prefault('ask'),
    'What to do about a failure that existed before the run: fix it, allow it as long as it gets no worse, or ask once nothing else fails.',
    'allow',
  ),
  outputs: key(
    list(innerPath('a path in the workspace, such as dist'), 'a list of paths in the workspace', {
      max: 50,
    }).prefault([]),
    'Files and folders that the check creates for later checks.',
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
    'Environment variables for the check, in addition to the usual ones.',
    { CI: '1' },
  )

const conditionName = () =>
  z.enum(standardConditions, {
    error: ({ input }) =>
      typeof input === 'string'
        ? unknownName('standard condition', input, standardConditions)
        : expects(`one of ${standardConditions.join(', ')}`)({ input }),
  })

/** Otherwise it would be run as a command with that name, which does not exist. */
const commandText = () =>
  text(100_000).refine((written) => !isStandard(written), {
    error: ({ input }) =>
      `${String(input)} is a standard condition, not a command: write { condition: ${String(input)} }`,
  })

const isStandard = (written: string): written is StandardCondition =>
  standardConditions.some((condition) => condition === written)

const command = () => ({
  run: key(
    z.union([commandText(), program()], {
      error: ({ input }) =>
        input === undefined
          ? expects('text, or a program and its arguments')({ input })
          : undefined,
    }),
    'A command. Text is run with /bin/sh -c; a list is run directly. Exit code 0 passes.',
    'npm test',
    ['npx', 'biome', 'check'],
  ),
  timeout: timeout(),
  env: variables(),
  junit: key(
    innerPath('a path in the workspace, such as reports/junit.xml').optional(),
    'The JUnit XML file in which it reports its tests, for test runners that Loopwright does not know.',
    'reports/junit.xml',
  ),
  ...shared(),
})

const conditionSettings = () => ({
  timeout: key(
    duration().prefault('30s'),
    'The time limit of the check. Default for standard conditions: 30s.',
    '2m',
  ),
  env: variables(),
  ...shared(),
})

const condition = () => ({
  condition: key(
    conditionName(),
    'A standard condition: runs the usual command for this kind of project.',
    'all_tests_pass',
  ),
  ...conditionSettings(),
})

const tool = () => ({
  tool: key(
    toolName(),
    'A built-in tool, or <server>__<tool>. A successful call passes.',
    'tracker__open_bugs',
  ),
  args: key(
    table(z.string(), json, 'names and values', 1000).prefault({}),
    'The arguments of the call.',
    { project: 'sum' },
  ),
  expect: key(
    json.exactOptional(),
    'The value that the call must return, as a value or as JSON text; anything else fails.',
    { open: 0 },
  ),
  timeout: timeout(),
  ...shared(),
})

const judge = () => ({
  judge: key(
    agentSchema.clone(),
    'An agent that judges, written as under agent. It may only read, and answers pass, fail or unclear.',
    'claude',
    { model: 'anthropic/claude-sonnet-5' },
  ),
  prompt: key(
    text(100_000),
    'The criteria to judge by. It also gets the diff since the start of the run.',
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
  .transform(toCheckSettings)

type Written =
  | z.output<z.ZodObject<ReturnType<typeof command>>>
  | z.output<z.ZodObject<ReturnType<typeof condition>>>
  | z.output<z.ZodObject<ReturnType<typeof tool>>>
  | z.output<z.ZodObject<ReturnType<typeof judge>>>

function toCheckSettings(written: string | readonly string[] | Written): CheckSettings {
  if (typeof written === 'string' || !('timeout' in written)) return plainCommand(written)
  const { timeout: limitMs, existing, outputs } = written
  const common = { timeoutMs: limitMs, existing, outputs }
  if ('run' in written) {
    const { run, env, junit } = written
    const report = defined({ junit })
    return { type: 'command', command: toCommand(run), env, ...report, ...common }
  }
  if ('condition' in written) {
    return { type: 'condition', condition: written.condition, env: written.env, ...common }
  }
  if ('judge' in written) {
    return { type: 'judge', agent: written.judge, prompt: written.prompt, ...common }
  }
  const expected = defined({ expect: written.expect })
  return { type: 'tool', tool: written.tool, args: written.args, ...expected, ...common }
}

const plainCommand = (written: string | readonly string[]): CommandCheckSettings => ({
  type: 'command',
  command: toCommand(written),
  env: {},
  timeoutMs,
  existing: 'ask',
  outputs: [],
})

const toCommand = (written: string | readonly string[]): readonly string[] =>
  typeof written === 'string' ? ['/bin/sh', '-c', written] : written

const ownName = () => key(name(), 'A unique name for the check.', 'unit')

/** A check with its name; the bare name of a standard condition is that condition. */
const named = z
  .union([
    conditionName(),
    keys({
      name: key(
        conditionName(),
        'A standard condition; it is also the name of the check.',
        'all_tests_pass',
      ),
      ...conditionSettings(),
    }),
    keys({ name: ownName(), ...condition() }),
    keys({ name: ownName(), ...command() }),
    keys({ name: ownName(), ...tool() }),
    keys({ name: ownName(), ...judge() }),
  ])
  .transform((written): readonly [string, CheckSettings] => {
    if (typeof written === 'string') return [written, toCheckSettings(standard(written))]
    const { name: checkName, ...rest } = written
    const isComplete = 'run' in rest || 'condition' in rest || 'tool' in rest || 'judge' in rest
    const settings = isComplete ? rest : { ...rest, condition: checkName as StandardCondition }
    return [checkName, toCheckSettings(settings)]
  })

const standardSchema = keys(condition())
const standard = (of: StandardCondition): z.output<typeof standardSchema> =>
  standardSchema.parse({ condition: of })

const listed = list(named, 'a list of checks', { max: checksMax })
  .superRefine((entries, context) => {
    // Entries that are invalid themselves are still in their written form.
    const names = entries.map((entry: unknown) => (Array.isArray(entry) ? String(entry[0]) : ''))
    for (const [index, checkName] of names.entries()) {
      if (checkName === '' || names.indexOf(checkName) === index) continue
      const message = `there are two checks named ${checkName}: give this one another name`
      context.addIssue({ code: 'custom', path: [index], message })
    }
  })
  .transform((entries): Record<string, CheckSettings> => Object.fromEntries(entries))

export const checksSchema: z.ZodType<{ readonly [name: string]: CheckSettings }> = z.union([
  table(name(), check, 'check names, each with a command', checksMax),
  listed,
])
