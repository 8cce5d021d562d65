/**
 * The schema of loop files. A table with one schema per loop type: to add a type, add an entry; the
 * published schema is generated from the table.
 */

import { z } from 'zod'
import { captureLimits, defaultLimits, defined } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { json } from '../values.ts'
import { agentSchema } from './agent-schema.ts'
import { certifySchema, scopeSchema, sealsSchema } from './certify-schema.ts'
import { checksSchema } from './checks-schema.ts'
import { conditionSchema } from './condition-schema.ts'
import type { LoopFile, LoopFileType, PlainFile } from './loop-file.ts'
import { mcpSchema } from './mcp-schema.ts'
import { promptSchema } from './prompt-schema.ts'
import { sandboxSchema } from './sandbox-schema.ts'
import {
  describedKeys,
  dollars,
  duration,
  integer,
  key,
  keys,
  list,
  matching,
  moment,
  table,
  text,
  toolName,
} from './value-schemas.ts'
import { worktreeSettingsSchema } from './worktree-schema.ts'

/** Before defaults by file name: a file without a name is named after itself. */
export type WrittenLoopFile = Unnamed<LoopFile>
type Unnamed<T extends LoopFile> = Omit<T, 'name'> & { readonly name?: string }

const defaultContextTokens = 100_000
const countMax = 1_000_000
const spendingMax = 1_000_000_000_000

const limitsSchema = keys({
  iterations: key(
    integer(1, countMax).prefault(defaultLimits.iterations),
    'The most iterations.',
    20,
  ),
  tokens: key(
    integer(0, spendingMax).prefault(defaultLimits.tokens),
    'The most tokens that the run may use, in and out.',
    200_000,
  ),
  cost: key(
    dollars().prefault(defaultLimits.costMicros / 1_000_000),
    'The most that the run may cost, in dollars.',
    1.5,
  ),
  time: key(
    duration(365).prefault(`${defaultLimits.timeMs / 3_600_000}h`),
    'The longest working time of the run. Time spent waiting for a person does not count.',
    '2h',
  ),
  deadline: key(
    moment().exactOptional(),
    'A time after which nothing new starts and work in progress is interrupted.',
    '2027-01-01T00:00:00Z',
  ),
  sameErrors: key(
    integer(1, countMax).prefault(defaultLimits.sameErrors),
    'The same error this many times in a row ends the run.',
    3,
  ),
}).transform(({ cost, time, deadline, ...rest }) => ({
  ...rest,
  costMicros: cost,
  timeMs: time,
  ...defined({ deadlineAtMs: deadline }),
}))

const contextSchema = keys({
  tokens: key(
    integer(100, 100_000_000).prefault(defaultContextTokens),
    "The most tokens in the prompt; never more than the model's context window.",
  ),
}).transform(({ tokens }) => ({ tokensMax: tokens }))

const progressSchema = keys({
  entries: key(
    integer(1, 1000).prefault(captureLimits.entriesMax),
    'How many of the last iterations it covers.',
  ),
  chars: key(
    integer(1, 1_000_000).prefault(captureLimits.charsMax),
    'How many characters of each output it keeps, from the end. At least 4,000 for the newest iteration.',
  ),
}).transform(({ entries, chars }) => ({ entriesMax: entries, charsMax: chars }))

const plainSchema: z.ZodType<Unnamed<PlainFile>> = exactly<Unnamed<PlainFile>>()(
  keys({
    loop: key(z.literal('plain').prefault('plain'), 'The loop type.'),
    name: key(
      matching(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
        'a name of letters, digits, ".", "-" and "_"',
      ).exactOptional(),
      'The name of the loop. Default: the name of the file.',
      'fix-sum',
    ),
    description: key(text(2000).exactOptional(), 'The purpose of the loop, in one sentence.'),
    workspace: key(
      text(4000).exactOptional(),
      'The folder to work in, relative to this file. Default: the current directory of the command.',
      './project',
    ),
    worktree: key(
      worktreeSettingsSchema.prefault('auto'),
      'Whether each run gets a separate git worktree and branch, so that the checkout stays unchanged: true, false, or auto (true if the workspace is the top of a git repository with a commit).',
      'auto',
      { base: 'main', carry: [{ path: '**/node_modules', by: 'link' }] },
    ),
    input: key(
      table(
        matching(
          /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
          'an input name: letters, digits and "_", at most 64',
        ),
        json,
        'input names and values',
        200,
      ).prefault({}),
      'Values for the prompt, available as input.<name>. The command line accepts only these names.',
      { goal: 'Make the tests pass.' },
    ),
    prompt: key(
      promptSchema,
      'The prompt of each iteration: a Liquid template, a template file, or a list of sections. Required for every agent except repair.',
      '{{ input.goal }}\n{{ progress }}',
      { file: 'prompt.md' },
    ),
    agent: key(
      agentSchema.clone(),
      'The agent: the name of an agent program, repair (needs no model), any command, an ACP agent, a model, or a script.',
      'claude',
      'repair',
      { program: 'codex', model: 'gpt-5', turns: 50 },
      { acp: 'gemini', permissions: 'edits' },
      { command: ['my-agent', '--headless'] },
      { model: 'anthropic/claude-sonnet-5' },
    ),
    tools: key(
      list(toolName(), 'a list of tool names', { max: 500 }).exactOptional(),
      'The tools that the agent may call. Default: all built-in tools and all tools of the MCP servers.',
      ['read', 'edit', 'run', 'files__read_file'],
    ),
    mcp: key(
      mcpSchema.prefault({}),
      'MCP servers by name. Their tools are available as <server>__<tool>.',
      { files: { command: ['mcp-server-filesystem', '.'] } },
    ),
    checks: key(
      checksSchema.prefault({}),
      'What the engine itself verifies after each iteration: commands, standard conditions, tools and judges, by name. They decide, not the agent.',
      { test: 'npm test' },
      ['all_tests_pass', 'linting_clean'],
    ),
    scope: key(
      scopeSchema().prefault([]),
      'What the agent may change without asking: globs over paths; ! excludes. Default: derived from the manifests of the project.',
      ['src/**', '!src/generated/**'],
    ),
    seals: key(
      sealsSchema.prefault({}),
      'Files that judge the work, in addition to the known tests and settings. The agent must not change them.',
      { paths: ['spec/**'], changes: 'refuse' },
    ),
    certify: key(
      certifySchema.prefault({}),
      'What must hold, besides the checks, before the work is complete.',
      { dependencies: 'carry', require: 'red-to-green' },
      'quick',
    ),
    until: key(
      list(conditionSchema, 'a list of conditions', { min: 1, max: 20 }).prefault([
        { type: 'checks-pass' },
        { type: 'no-progress', iterations: 3 },
      ]),
      'When the run ends, besides its limits: on the first condition that is met.',
    ),
    limits: key(limitsSchema.prefault({}), 'What the run may use. Checked before spending.', {
      iterations: 20,
      cost: 1.5,
      time: '2h',
    }),
    context: key(contextSchema.prefault({}), 'The maximum length of the prompt.', {
      tokens: 100_000,
    }),
    progress: key(
      progressSchema.prefault({}),
      'How much of the last iterations {{ progress }} includes.',
      { entries: 5, chars: 500 },
    ),
    exclude: key(
      list(
        matching(
          /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u,
          'a name in the root of the workspace, without /',
        ),
        'a list of names',
        { max: 200 },
      ).prefault(['node_modules', '.venv']),
      'Names in the root of the workspace that snapshots exclude: they are not recorded, compared or restored.',
    ),
    sandbox: key(
      sandboxSchema.prefault({}),
      'What commands may touch and use: the agent, its tools, MCP servers and checks. Default: the workspace, no network and the usual limits.',
      { require: 'strong', network: ['registry.npmjs.org'] },
    ),
  }),
)

describedKeys.add(plainSchema, {
  description: 'Runs an agent on a prompt until the checks pass.',
})

export const loopFileSchemas: Readonly<Record<LoopFileType, z.ZodType<WrittenLoopFile>>> = {
  plain: plainSchema,
}

/** For editors. Draft 7, because the YAML language server expects it. */
export function loopFileJsonSchema(): { readonly $schema?: string | undefined } {
  const forms = Object.values(loopFileSchemas)
  const [only = z.never(), ...others] = forms
  const schema = others.length === 0 ? only : z.union(forms)
  const { $schema, ...shape } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    metadata: describedKeys,
    // Zod omits examples of transformed values; ours show the written form.
    override: ({ zodSchema, jsonSchema }) => {
      const examples = describedKeys.get(zodSchema)?.examples
      if (examples !== undefined) jsonSchema.examples = [...examples]
    },
  })
  return { $schema, ...withOptionalPrompt(shape) }
}

/** Only some agents need a prompt, so the reader of the file reports a missing one, not the schema. */
function withOptionalPrompt({ required = [], ...shape }: { required?: string[] }): object {
  return { ...shape, required: required.filter((name) => name !== 'prompt') }
}
