/**
 * What has to be run for one of document 001's conditions in a tree. It is met when every command is, and a
 * condition for which nothing can be run is an error with what to write instead: it is never met.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { filesOfCommand } from '../seals/command-files.ts'
import { conditionTable } from './condition-table.ts'
import { openProject } from './project.ts'
import { type ConditionName, detectStacks, type StackName } from './stack.ts'

export interface ConditionCommand {
  readonly stack: StackName
  /** Where it is run, from the root of the tree; `''`: there. */
  readonly folder: string
  readonly argv: readonly string[]
  /** It cannot answer without the network. */
  readonly network: boolean
  /** Files of the tree that it names. */
  readonly names: readonly string[]
}

export interface ConditionPlan {
  readonly condition: ConditionName
  /** All of them, one after the other. */
  readonly commands: readonly ConditionCommand[]
  /** Stacks that have nothing to run for it, with the reason. */
  readonly skipped: readonly string[]
  /** There is no command at all: why, and what to write. */
  readonly problem?: string
}

/** Of the base, not of what was made of it: what judges is chosen before there is anything to judge. */
export async function planCondition(
  reader: TreeReader,
  tree: TreeId,
  condition: ConditionName,
): Promise<ConditionPlan> {
  const stacks = await detectStacks(reader, tree)
  const commands: ConditionCommand[] = []
  const skipped: string[] = []
  for (const stack of stacks) {
    const { choices, absent } = conditionTable[stack.name][condition]
    const project = await openProject(reader, tree, stack)
    const choice = choices.find(({ when }) => when(project))
    // Many of the reasons begin with the file themselves.
    const isNamed = absent.startsWith(stack.manifest.slice(stack.folder.length))
    const place = isNamed ? stack.folder : `${stack.manifest}: `
    if (choice === undefined) skipped.push(`${place}${absent}`)
    else {
      const argv = choice.argv(project)
      const names = filesOfCommand(argv)
        .map((name) => `${stack.folder}${name}`)
        .filter((name) => project.has(name.slice(stack.folder.length)))
      const network = choice.network ?? false
      commands.push({ stack: stack.name, folder: stack.folder, argv, network, names })
    }
  }
  if (commands.length > 0) return { condition, commands, skipped }
  return { condition, commands, skipped, problem: problemOf(condition, skipped) }
}

/** One more line for people: why a command that needs the network cannot be met without it. */
export const networkAdvice = (condition: ConditionName, { argv }: ConditionCommand): string =>
  `${condition} runs ${argv.join(' ')}, which has to ask for what is known to be bad, and checks have no network. Let this check out by the loop file, or name a scanner that works offline: ${instead(condition)}`

function problemOf(condition: ConditionName, skipped: readonly string[]): string {
  const why =
    skipped.length === 0
      ? 'No package.json, pyproject.toml, Cargo.toml, go.mod, pom.xml or build.gradle was found.'
      : `${skipped.join('; ')}.`
  return `${condition} has nothing to run here. ${why} Leave it out, or say what it is: ${instead(condition)}`
}

const examples: Readonly<Record<ConditionName, string>> = {
  all_tests_pass: 'checks: { tests: make test }',
  build_succeeds: 'checks: { build: make }',
  linting_clean: 'checks: { lint: make lint }',
  security_scan_clean: 'checks: { security: semgrep scan --error --config rules }',
}

const instead = (condition: ConditionName): string => examples[condition]
