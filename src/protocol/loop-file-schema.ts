/**
 * How a loop file is written: the keys that every file has, and those that its loop type adds. The published
 * schema is made of whatever types are passed in.
 */

import { z } from 'zod'
import { defaultLimits, defined } from '../loop/index.ts'
import { exactly } from './exactly.ts'
import type { AgentSettings, LoopFile } from './loop-file.ts'
import { agentSchema } from './loop-file-agents.ts'
import { certifySchema, scopeSchema, sealsSchema } from './loop-file-certify.ts'
import { checksSchema } from './loop-file-checks.ts'
import { conditionSchema } from './loop-file-conditions.ts'
import { mcpSchema } from './loop-file-parts.ts'
import { sandboxSchema } from './loop-file-sandbox.ts'
import { type LoopFileType, makerRole } from './loop-file-type.ts'
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

/** The keys of every loop file, as they are written: agents may have the short form. */
export interface WrittenLoopFile
  extends Omit<LoopFile, 'name' | 'agents' | 'readers' | 'settings'> {
  readonly name?: string
  readonly agent?: AgentSettings
  readonly agents: { readonly [role: string]: AgentSettings | undefined }
}

/** The loop type of a file that names none. */
export const defaultLoopType = 'plain'

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

const loopName = (name: string) => {
  const literal = z.literal(name)
  return name === defaultLoopType ? literal.prefault(name) : literal
}

const roleName = () =>
  form(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'the name of a role: letters, digits, "-" and "_"')

/** Only roles that the loop type knows, each with what it is for. */
function agentsByRole({ roles }: LoopFileType): z.ZodType<WrittenLoopFile['agents']> {
  if (roles === 'any')
    return table(roleName(), agentSchema.clone(), 'roles, each with an agent', 20)
  const shape = Object.entries(roles).map(([role, { description }]) => [
    role,
    key(agentSchema.clone().exactOptional(), `The agent that ${description}.`),
  ])
  return keys(Object.fromEntries(shape) as Record<string, typeof agentSchema>, 'role')
}

/** What every loop file has: its name, and where it works. */
const headKeys = (type: LoopFileType) => ({
  loop: key(loopName(type.name), 'The loop type.'),
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
})

/** Who works, and with what. */
const agentKeys = (type: LoopFileType) => ({
  agent: key(
    agentSchema.clone().exactOptional(),
    'Who works: an agent program by its name, repair, which needs no model, any command line, an ACP agent, a model, or a script.',
    'claude',
    'repair',
    { program: 'codex', model: 'gpt-5', turns: 50 },
    { acp: 'gemini', permissions: 'edits' },
    { command: ['my-agent', '--headless'] },
    { model: 'anthropic/claude-sonnet-5' },
  ),
  agents: key(
    agentsByRole(type).prefault({}),
    `The agents by role, for loop types that work with several. The key agent is the short form for ${makerRole}.`,
    { [makerRole]: 'claude' },
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
})

/** What decides about the work, and what it may use up and touch. */
const checkKeys = (type: LoopFileType) => ({
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
    list(conditionSchema, 'a list of conditions', { min: 1, max: 20 }).prefault([...type.until]),
    'When the run is over, besides its limits: the first condition that is met.',
  ),
  limits: key(limitsSchema.prefault({}), 'What the run may use up. Checked before it is spent.', {
    iterations: 20,
    cost: 1.5,
    time: '2h',
  }),
  exclude: key(
    list(
      form(/^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u, 'a name in the root of the workspace, without /'),
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
})

const schemas = new WeakMap<LoopFileType, z.ZodType<WrittenLoopFile>>()

/** The whole file: unknown keys are refused. */
export function loopFileSchema(type: LoopFileType): z.ZodType<WrittenLoopFile> {
  const known = schemas.get(type) ?? createSchema(type)
  schemas.set(type, known)
  return known
}

function createSchema(type: LoopFileType): z.ZodType<WrittenLoopFile> {
  // In the order in which people write them, and editors offer them.
  const all = { ...headKeys(type), ...type.keys, ...agentKeys(type), ...checkKeys(type) }
  const schema = exactly<WrittenLoopFile>()(keys(all))
  told.add(schema, { description: type.description })
  return schema
}

/** For editors. Draft 7, because that is what the YAML language server knows. */
export function loopFileJsonSchema(types: readonly LoopFileType[]): {
  readonly $schema?: string | undefined
} {
  const forms = types.map(loopFileSchema)
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
      const type = types[forms.findIndex((one) => Object.is(one, zodSchema))]
      if (type !== undefined) jsonSchema.required = neededKeys(type, jsonSchema.required)
    },
  })
  return { $schema, ...shape }
}

/** A key that only some files of the type need is not missed here, but by the reader. */
const neededKeys = (
  { keys: own, complete }: LoopFileType,
  required: readonly string[] = [],
): string[] => required.filter((name) => complete === undefined || !Object.hasOwn(own, name))
