/**
 * Determines the commands for a standard condition in a tree. It is met if every command passes. A condition without any
 * command is an error that says what to write instead; it is never met.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { findCommandFiles } from '../seals/command-files.ts'
import { conditionTable } from './condition-table.ts'
import { openProject } from './project.ts'
import { type ConditionName, detectStacks, type StackName } from './stack.ts'

export interface ConditionCommand {
  readonly stack: StackName
  /** Where to run it, relative to the tree; `''`: at the root. */
  readonly folder: string
  readonly argv: readonly string[]
  /** It needs the network. */
  readonly network: boolean
  /** Files of the tree that it names. */
  readonly names: readonly string[]
}

export interface ConditionPlan {
  readonly condition: ConditionName
  /** All of them are run, in order. */
  readonly commands: readonly ConditionCommand[]
  /** Stacks without a command for it, with the reason. */
  readonly skipped: readonly string[]
  /** There is no command at all: why, and what to write. */
  readonly problem?: string
}

/** For the base, not for the candidate: what judges the work is chosen before there is work. */
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
    // Many reasons already start with the file name.
    const isNamed = absent.startsWith(stack.manifest.slice(stack.folder.length))
    const place = isNamed ? stack.folder : `${stack.manifest}: `
    if (choice === undefined) skipped.push(`${place}${absent}`)
    else {
      const argv = choice.argv(project)
      const names = findCommandFiles(argv)
        .map((name) => `${stack.folder}${name}`)
        .filter((name) => project.has(name.slice(stack.folder.length)))
      const network = choice.network ?? false
      commands.push({ stack: stack.name, folder: stack.folder, argv, network, names })
    }
  }
  if (commands.length > 0) return { condition, commands, skipped }
  return { condition, commands, skipped, problem: describeProblem(condition, skipped) }
}

/** Why a command that needs the network cannot pass without it. */
export const networkAdvice = (condition: ConditionName, { argv }: ConditionCommand): string =>
  `${condition} runs ${argv.join(' ')}, which queries a database of advisories, but checks have no network. Allow its hosts with sandbox.network in the loop file, or use a scanner that works offline: ${instead(condition)}`

function describeProblem(condition: ConditionName, skipped: readonly string[]): string {
  const why =
    skipped.length === 0
      ? 'No package.json, pyproject.toml, Cargo.toml, go.mod, pom.xml or build.gradle was found.'
      : `${skipped.join('; ')}.`
  return `${condition} has nothing to run here. ${why} Remove it, or define the check yourself: ${instead(condition)}`
}

const examples: Readonly<Record<ConditionName, string>> = {
  all_tests_pass: 'checks: { tests: make test }',
  build_succeeds: 'checks: { build: make }',
  linting_clean: 'checks: { lint: make lint }',
  security_scan_clean: 'checks: { security: semgrep scan --error --config rules }',
}

const instead = (condition: ConditionName): string => examples[condition]
