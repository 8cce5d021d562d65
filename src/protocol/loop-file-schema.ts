/**
 * How a loop file is written. One schema for each loop type, in a table: another type is another
 * entry, and the published schema is whatever the table holds.
 */

import { z } from 'zod'
import { captureLimits, defaultLimits, defined } from '../loop/index.ts'
import { exactly } from './exactly.ts'
import type { LoopFile, LoopFileType, PlainFile } from './loop-file.ts'
import { agentSchema } from './loop-file-agents.ts'
import { certifySchema, scopeSchema, sealsSchema } from './loop-file-certify.ts'
import { checksSchema } from './loop-file-checks.ts'
import { conditionSchema } from './loop-file-conditions.ts'
import { mcpSchema, promptSchema } from './loop-file-parts.ts'
import { sandboxSchema } from './loop-file-sandbox.ts'
import {
  dollars,
  duration,
  form,
  key,
  keys,
  list,
  moment,
  table,
  text,
  told,
  toolName,
  whole,
} from './loop-file-values.ts'
import { worktreeSettingsSchema } from './loop-file-worktree.ts'
import { json } from './values.ts'

/** As written: a file without a name is named after itself. */
export type WrittenLoopFile = Unnamed<LoopFile>
type Unnamed<T extends LoopFile> = Omit<T, 'name'> & { readonly name?: string }

const defaultContextTokens = 100_000
const countMax = 1_000_000
const spendingMax = 1_000_000_000_000

const limitsSchema = keys({
  iterations: key(
    whole(1, countMax).prefault(defaultLimits.iterations),
    'How many iterations there may be.',
    20,
  ),
  tokens: key(
    whole(0, spendingMax).prefault(defaultLimits.tokens),
    'How many tokens the run may use, in and out.',
    200_000,
  ),
  cost: key(
    dollars().prefault(defaultLimits.costMicros / 1_000_000),
    'What the run may cost, in dollars.',
    1.5,
  ),
  time: key(
    duration(365).prefault(`${defaultLimits.timeMs / 3_600_000}h`),
    'How long the run may be at work. Time that it waits for a person does not count.',
    '2h',
  ),
  deadline: key(
    moment().exactOptional(),
    'A moment after which nothing is started and whatever is under way is interrupted.',
    '2027-01-01T00:00:00Z',
  ),
  sameErrors: key(
    whole(1, countMax).prefault(defaultLimits.sameErrors),
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
    whole(100, 100_000_000).prefault(defaultContextTokens),
    'How many tokens the prompt may have; never more than the window of the model.',
  ),
}).transform(({ tokens }) => ({ tokensMax: tokens }))

const progressSchema = keys({
  entries: key(
    whole(1, 1000).prefault(captureLimits.entriesMax),
    'How many of the last iterations it tells of.',
  ),
  chars: key(
    whole(1, 1_000_000).prefault(captureLimits.charsMax),
    'How many characters it keeps of each output: the last ones. Of the newest iteration it keeps 4,000 at least.',
  ),
}).transform(({ entries, chars }) => ({ entriesMax: entries, charsMax: chars }))

const plainSchema: z.ZodType<Unnamed<PlainFile>> = exactly<Unnamed<PlainFile>>()(
  keys({
    loop: key(z.literal('plain').prefault('plain'), 'The loop type.'),
    name: key(
      form(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
        'a name of letters, digits, ".", "-" and "_"',
      ).exactOptional(),
      'The name of the loop; that of the file unless told.',
      'fix-sum',
    ),
    description: key(text(2000).exactOptional(), 'What the loop is for, in a sentence.'),
    workspace: key(
      text(4000).exactOptional(),
      'The folder to work in, relative to this file; where the command is run unless told.',
      './project',
    ),
    worktree: key(
      worktreeSettingsSchema.prefault('auto'),
      'A git worktree for each run, on a branch of its own, so that the checkout stays as it is: true, false, or auto, where the workspace is the top of a git repository that has a commit.',
      'auto',
      { base: 'main', carry: [{ path: '**/node_modules', by: 'link' }] },
    ),
    input: key(
      table(
        form(
          /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
          'the name of an input: letters, digits and "_", at most 64',
        ),
        json,
        'names and values of inputs',
        200,
      ).prefault({}),
      'Values for the prompt, there as input.<name>. Only these names can be given on the command line.',
      { goal: 'Make the tests pass.' },
    ),
    prompt: key(
      promptSchema,
      'What the agent is told in each iteration: a Liquid template, a file with one, or a list of sections. Only the agent repair can do without.',
      '{{ input.goal }}\n{{ progress }}',
      { file: 'prompt.md' },
    ),
    agent: key(
      agentSchema.clone(),
      'Who works: an agent program by its name, repair, which needs no model, any command line, an ACP agent, a model, or a script.',
      'claude',
      'repair',
      { program: 'codex', model: 'gpt-5', turns: 50 },
      { acp: 'gemini', permissions: 'edits' },
      { command: ['my-agent', '--headless'] },
      { model: 'anthropic/claude-sonnet-5' },
    ),
    tools: key(
      list(toolName(), 'a list of names of tools', { max: 500 }).exactOptional(),
      'The tools that the agent may call; every built-in one and all of the MCP servers unless told.',
      ['read', 'edit', 'run', 'files__read_file'],
    ),
    mcp: key(
      mcpSchema.prefault({}),
      'MCP servers by name. Their tools are there as <server>__<tool>.',
      { files: { command: ['mcp-server-filesystem', '.'] } },
    ),
    checks: key(
      checksSchema.prefault({}),
      'What the engine finds out itself after each iteration: commands, standard conditions, tools and judges, by name. They decide, not the agent.',
      { test: 'npm test' },
      ['all_tests_pass', 'linting_clean'],
    ),
    scope: key(
      scopeSchema().prefault([]),
      'What the agent may change without asking: globs over paths; ! excludes. Derived from the manifests of the project by default.',
      ['src/**', '!src/generated/**'],
    ),
    seals: key(
      sealsSchema.prefault({}),
      'What of the files judges the work and must not be changed by whoever does it, besides the tests and settings that are known.',
      { paths: ['spec/**'], changes: 'refuse' },
    ),
    certify: key(
      certifySchema.prefault({}),
      'What must hold besides the checks before the work counts as complete.',
      { dependencies: 'carry', require: 'red-to-green' },
      'quick',
    ),
    until: key(
      list(conditionSchema, 'a list of conditions', { min: 1, max: 20 }).prefault([
        { type: 'checks-pass' },
        { type: 'no-progress', iterations: 3 },
      ]),
      'When the run is over, besides its limits: the first condition that is met.',
    ),
    limits: key(limitsSchema.prefault({}), 'What the run may use up. Checked before it is spent.', {
      iterations: 20,
      cost: 1.5,
      time: '2h',
    }),
    context: key(contextSchema.prefault({}), 'How long the prompt may get.', { tokens: 100_000 }),
    progress: key(
      progressSchema.prefault({}),
      'How much of the last iterations {{ progress }} shows.',
      { entries: 5, chars: 500 },
    ),
    exclude: key(
      list(
        form(
          /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u,
          'a name in the root of the workspace, without /',
        ),
        'a list of names',
        { max: 200 },
      ).prefault(['node_modules', '.venv']),
      'Names in the root of the workspace that are no part of what is kept, compared and restored.',
    ),
    sandbox: key(
      sandboxSchema.prefault({}),
      'What commands may touch and use: the agent, its tools, MCP servers and checks. Without it they have the workspace, no network and the usual limits.',
      { require: 'strong', network: ['registry.npmjs.org'] },
    ),
  }),
)

told.add(plainSchema, { description: 'A prompt, an agent and checks; again until they pass.' })

export const loopFileSchemas: Readonly<Record<LoopFileType, z.ZodType<WrittenLoopFile>>> = {
  plain: plainSchema,
}

/** For editors. Draft 7, because that is what the YAML language server knows. */
export function loopFileJsonSchema(): { readonly $schema?: string | undefined } {
  const forms = Object.values(loopFileSchemas)
  const [only = z.never(), ...others] = forms
  const schema = others.length === 0 ? only : z.union(forms)
  const { $schema, ...shape } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    metadata: told,
    // The library leaves examples out wherever a value is changed; ours are of what is written.
    override: ({ zodSchema, jsonSchema }) => {
      const examples = told.get(zodSchema)?.examples
      if (examples !== undefined) jsonSchema.examples = [...examples]
    },
  })
  return { $schema, ...withoutPrompt(shape) }
}

/** A key that only some agents need is not missed here, but by the reader. */
function withoutPrompt({ required = [], ...shape }: { required?: string[] }): object {
  return { ...shape, required: required.filter((name) => name !== 'prompt') }
}
