/**
 * The schema of loop files: the keys that every file has, and those that its loop type adds. The
 * published schema is generated from the types that are passed in.
 */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { json } from '../values.ts'
import { actionsSchema, gateSchema, levelSchema } from './action-schema.ts'
import { agentSchema } from './agent-schema.ts'
import { certifySchema, scopeSchema, sealsSchema } from './certify-schema.ts'
import { checksSchema } from './checks-schema.ts'
import { conditionSchema } from './condition-schema.ts'
import { type JsonSchema, toDraft7 } from './draft-7.ts'
import { escalateSchema } from './escalate-schema.ts'
import { limitsSchema } from './limits-schema.ts'
import type { AgentSettings, LoopFile } from './loop-file.ts'
import { type LoopFileType, makerRole } from './loop-file-type.ts'
import { mcpSchema } from './mcp-schema.ts'
import { policyFilesSchema } from './policy-schema.ts'
import { sandboxSchema } from './sandbox-schema.ts'
import { describedKeys, key, keys, list, matching, table, text, toolName } from './value-schemas.ts'
import { worktreeSettingsSchema } from './worktree-schema.ts'

/** The keys of every loop file as written: agents may have the short form. */
export interface WrittenLoopFile
  extends Omit<
    LoopFile,
    | 'name'
    | 'agents'
    | 'readers'
    | 'apart'
    | 'settings'
    | 'actions'
    | 'mergesWhenCertified'
    | 'readsAtLevel1'
    | 'proposes'
    | 'delivers'
  > {
  readonly name?: string
  readonly then?: LoopFile['actions']
  /** The earlier name of `then`. */
  readonly actions?: LoopFile['actions']
  readonly agent?: AgentSettings
  readonly agents: { readonly [role: string]: AgentSettings | undefined }
}

/** The loop type of a file that names none. */
export const defaultLoopType = 'plain'

const loopName = (name: string) => {
  const literal = z.literal(name)
  return name === defaultLoopType ? literal.prefault(name) : literal
}

const roleName = () =>
  matching(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'the name of a role: letters, digits, "-" and "_"')

/** Only the roles of the loop type, each with its description. */
function agentsByRole({ roles }: LoopFileType): z.ZodType<WrittenLoopFile['agents']> {
  if (roles === 'any')
    return table(roleName(), agentSchema.clone(), 'roles, each with an agent', 20)
  const shape = Object.entries(roles).map(([role, { description }]) => [
    role,
    key(agentSchema.clone().exactOptional(), `The agent that ${description}.`),
  ])
  return keys(Object.fromEntries(shape) as Record<string, typeof agentSchema>, 'role')
}

/** The name of the loop, and where it works. */
const headKeys = (type: LoopFileType) => ({
  loop: key(loopName(type.name), 'The loop type.'),
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
})

/** The agents and their tools. */
const agentKeys = (type: LoopFileType) => ({
  agent: key(
    agentSchema.clone().exactOptional(),
    'The agent: the name of an agent program, repair (needs no model), any command, an ACP agent, a model, or a script.',
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
    list(toolName(), 'a list of tool names', { max: 500 }).exactOptional(),
    'The tools that the agent may call. Default: all built-in tools and all tools of the MCP servers.',
    ['read', 'edit', 'run', 'files__read_file'],
  ),
  mcp: key(
    mcpSchema.prefault({}),
    'MCP servers by name. Their tools are available as <server>__<tool>.',
    { files: { command: ['mcp-server-filesystem', '.'] } },
  ),
})

/** What decides about the work, and what the work may use and touch. */
const checkKeys = (type: LoopFileType) => ({
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
    list(conditionSchema, 'a list of conditions', { min: 1, max: 20 }).prefault([...type.until]),
    'When the run ends, besides its limits: on the first condition that is met.',
  ),
  limits: key(limitsSchema.prefault({}), 'What the run may use. Checked before spending.', {
    iterations: 20,
    cost: 1.5,
    time: '2h',
  }),
  policy: key(
    policyFilesSchema.exactOptional(),
    'Policy files, relative to this file. Their rules forbid iterations, tool calls and actions, in addition to those of the configuration.',
    { enforce: ['policy/limits.cedar'] },
  ),
  escalate: key(
    escalateSchema.exactOptional(),
    'Ask a person when the run makes no progress or changes too much: true, false, or thresholds. Default: true for an unattended run that a daemon drives, otherwise false.',
    true,
    { testRuns: 5, files: 40 },
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
})

/** What the run may do outside of its workspace, and who decides about it. */
const authorityKeys = () => ({
  level: key(
    levelSchema(),
    'How much the run may do without a person, at most and to begin with. 1: it reports, and performs no action. 2: a person allows each action. 3: the gate may allow actions. earned: it begins at 1, and earns the others.',
    3,
  ),
  gate: key(
    gateSchema.clone().prefault('always-escalate'),
    'What decides about actions: always-escalate (a person), policy, or a table with the kinds that need no person.',
    { allow: ['merge'], deny: ['.github/**'], maxFiles: 10 },
  ),
  // oxlint-disable-next-line unicorn/no-thenable -- A key of loop files. It is not a function.
  then: key(
    actionsSchema().exactOptional(),
    'What the run does outside of its workspace once the work is certified, in this order.',
    ['merge', { notify: { by: 'desktop' } }],
  ),
  actions: key(actionsSchema().exactOptional(), 'The earlier name of then: use one of them.'),
})

const schemas = new WeakMap<LoopFileType, z.ZodType<WrittenLoopFile>>()

/** Of the whole file: it refuses unknown keys. */
export function loopFileSchema(type: LoopFileType): z.ZodType<WrittenLoopFile> {
  const known = schemas.get(type) ?? createSchema(type)
  schemas.set(type, known)
  return known
}

function createSchema(type: LoopFileType): z.ZodType<WrittenLoopFile> {
  // The usual order in a file, in which editors offer them.
  const all = {
    ...headKeys(type),
    ...type.keys,
    ...agentKeys(type),
    ...checkKeys(type),
    ...authorityKeys(),
  }
  const schema = exactly<WrittenLoopFile>()(keys(all))
  describedKeys.add(schema, { description: type.description })
  return schema
}

/** For editors. */
export function loopFileJsonSchema(
  types: readonly LoopFileType[],
  head?: { readonly $id: string; readonly title: string },
): JsonSchema {
  const forms = types.map(loopFileSchema)
  const [only = z.never(), ...others] = forms
  const schema = others.length === 0 ? only : z.union(forms)
  return toDraft7(schema, head, (part, written) => {
    const type = types[forms.findIndex((one) => Object.is(one, part))]
    if (type !== undefined) written.required = neededKeys(type, written.required)
  })
}

/** Only some files need the keys that a type completes, so the reader reports a missing one, not the schema. */
const neededKeys = ({ completes = [] }: LoopFileType, required: readonly string[] = []): string[] =>
  required.filter((name) => !completes.includes(name))
