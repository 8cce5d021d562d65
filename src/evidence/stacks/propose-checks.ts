/**
 * Proposes the checks that a project offers for a loop: its tests, type check and linter. Only what the project has set up
 * itself, and nothing that changes files.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { conditionTable } from './condition-table.ts'
import { openProject, type Project } from './project.ts'
import { detectStacks, type Stack, type StackName } from './stack.ts'
import { taskCommand } from './task-files.ts'
import { scriptWritesFiles } from './writes-files.ts'

export interface ProposedCheck {
  /** `test`, `types` or `lint`; followed by the folder if the project is in one. */
  readonly name: string
  /** A shell command line, as in a loop file. */
  readonly command: string
}

export interface Proposal {
  readonly stacks: readonly Stack[]
  readonly checks: readonly ProposedCheck[]
}

const kinds = ['test', 'types', 'lint'] as const
type Kind = (typeof kinds)[number]

/** The workspace that contains the folder as a package, if there is one. */
export interface EnclosingWorkspace {
  readonly manager?: string
  /** Whether the workspace itself depends on a package. */
  readonly depends?: (name: string) => boolean
}

export async function proposeChecks(
  reader: TreeReader,
  tree: TreeId,
  workspace: EnclosingWorkspace = {},
): Promise<Proposal> {
  const stacks = await detectStacks(reader, tree)
  const found: ProposedCheck[] = []
  for (const stack of stacks) {
    const own = await openProject(reader, tree, stack)
    const project = stack.name === 'node' ? inWorkspace(workspace, own) : own
    for (const kind of kinds) {
      const argv = rules[kind](project)
      if (argv === undefined) continue
      const line = argv.join(' ').replace(/^npm run test$/, 'npm test')
      const inner = stack.folder.replace(/\/$/, '')
      const name = inner === '' ? kind : `${kind}-${inner.replaceAll(/[^\w.-]/g, '-')}`
      found.push({ name, command: inner === '' ? line : `cd ${quoted(inner)} && ${line}` })
    }
  }
  const checks = [...withUniqueNames(found)]
  for (const kind of kinds) {
    if (checks.some(({ name }) => name === kind || name.startsWith(`${kind}-`))) continue
    const command = await taskCommand(reader, tree, kind)
    if (command !== undefined) checks.push({ name: kind, command })
  }
  return { stacks, checks: checks.toSorted((a, b) => rank(a) - rank(b)) }
}

const inWorkspace = ({ manager, depends }: EnclosingWorkspace, own: Project): Project => ({
  ...own,
  manager: manager ?? own.manager,
  depends: (name) => own.depends(name) || depends?.(name) === true,
})

const rank = ({ name }: ProposedCheck): number =>
  kinds.findIndex((kind) => name === kind || name.startsWith(`${kind}-`))

const quoted = (folder: string): string =>
  /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`

/** Two stacks in one folder each get their checks, with different names. */
function* withUniqueNames(checks: readonly ProposedCheck[]): Generator<ProposedCheck> {
  const taken = new Map<string, number>()
  for (const check of checks) {
    const times = (taken.get(check.name) ?? 0) + 1
    taken.set(check.name, times)
    yield times === 1 ? check : { ...check, name: `${check.name}-${times}` }
  }
}

type Rule = (project: Project) => readonly string[] | undefined

const standard =
  (condition: 'all_tests_pass' | 'linting_clean'): Rule =>
  (project) =>
    conditionTable[project.stack.name][condition].choices
      .find(({ when, network }) => network !== true && when(project))
      ?.argv(project)

const typeScripts = ['typecheck', 'type-check', 'check-types', 'check:types', 'types:check', 'tsc']

const nodeTypes: Rule = (project) => {
  const { has, depends, manager, script } = project
  const named = typeScripts.find(
    (name) => script(name) !== undefined && !scriptWritesFiles(name, script),
  )
  if (named !== undefined) return [manager, 'run', named]
  if (!has('tsconfig.json') || !depends('typescript')) return undefined
  return ['npx', '--no-install', 'tsc', '--noEmit']
}

const pythonTypes: Rule = ({ texts, has }) => {
  if (/^\[(?:tool\.)?mypy\]/m.test(texts) || has('mypy.ini', '.mypy.ini'))
    return /^(?:files|packages)\s*=/m.test(texts)
      ? ['python3', '-m', 'mypy']
      : ['python3', '-m', 'mypy', '.']
  if (has('pyrightconfig.json') || /^\[tool\.pyright\]/m.test(texts)) return ['pyright']
  return undefined
}

/** Tools that most machines have do not show that the project uses them. */
const usesLinter: Readonly<Record<StackName, (project: Project) => boolean>> = {
  node: () => true,
  python: ({ texts, has }) =>
    /\b(?:ruff|flake8)\b/.test(texts) || has('ruff.toml', '.ruff.toml', '.flake8'),
  rust: ({ has }) => has('clippy.toml', '.clippy.toml'),
  go: () => true,
  maven: () => true,
  gradle: () => true,
}

const rules: Readonly<Record<Kind, Rule>> = {
  test: standard('all_tests_pass'),
  types: (project) => {
    if (project.stack.name === 'node') return nodeTypes(project)
    return project.stack.name === 'python' ? pythonTypes(project) : undefined
  },
  lint: (project) =>
    usesLinter[project.stack.name](project) ? standard('linting_clean')(project) : undefined,
}
