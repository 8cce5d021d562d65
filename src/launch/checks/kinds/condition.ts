/**
 * A standard condition: the usual commands of the project. E7. They are derived from the base files, so that the maker
 * cannot choose what judges it.
 */

import { type ConditionCommand, networkAdvice, planCondition } from '../../../evidence/index.ts'
import { textOf } from '../../../loop/index.ts'
import type { ConditionCheckSettings } from '../../../protocol/index.ts'
import { sha256 } from '../../../system/index.ts'
import { observeCheck } from '../../certify/identity/observe-check.ts'
import type { CheckRunner, Env } from '../check-runner.ts'
import { folderFiles } from '../folder-reader.ts'
import { programDigest } from '../program-digest.ts'
import type { StandardCheck } from '../resolved-check.ts'
import { standardCheck } from '../standard-check.ts'
import { hashSettings } from './fingerprint.ts'

export const conditionKind: CheckRunner<ConditionCheckSettings, StandardCheck> = {
  async plan(name, check, workspace) {
    const baseFiles = () => folderFiles(workspace)
    try {
      const found = await conditionKind.resolve(name, check, {
        baseFiles,
        isOffline: false,
        problems: [],
      })
      return typeof found === 'string'
        ? { text: '', problem: found }
        : { text: describeCommands(found.commands).join(' ') }
    } catch (error) {
      return { text: '', problem: textOf(error) }
    }
  },
  async resolve(name, check, { baseFiles, isOffline, problems }) {
    const { reader, tree } = baseFiles()
    const { commands, problem } = await planCondition(reader, tree, check.condition)
    if (problem !== undefined) return `checks.${name}: ${problem}`
    const asking = isOffline ? commands.filter(({ network }) => network) : []
    problems.push(...asking.map((command) => networkAdvice(check.condition, command)))
    return { ...check, type: 'standard', commands }
  },
  open(_name, check, { sandbox, surroundings }) {
    const { commands, condition, timeoutMs, env } = check
    return Object.assign(standardCheck(check, sandbox, {}), {
      timeoutMs,
      fingerprint: hashSettings({ commands, timeoutMs, around: surroundings(env) }),
      kind: 'command' as const,
      condition,
    })
  },
  async describe(_name, { commands }, { workspace, path }) {
    const digests = commands.map(({ argv }) => programDigest(argv, workspace, path))
    return {
      kind: 'command',
      command: describeCommands(commands),
      toolDigest: sha256((await Promise.all(digests)).join()),
      names: commands.flatMap(({ names }) => names),
    }
  },
  filesNamed: ({ commands }) => commands.flatMap(({ names }) => names),
  observe(check, { sandbox, identity, layerEnv }) {
    const observed = {
      identity,
      env: { ...layerEnv, ...check.env },
      open: (env: Env, prefix: readonly string[]) =>
        standardCheck({ ...check, env }, sandbox, { shows: identity.shows, prefix }),
    }
    return (context, options) => observeCheck(observed, context, options)
  },
  env: ({ env }) => env,
  commands(name, { commands, env, timeoutMs }) {
    const here = commands.filter(({ folder }) => folder === '')
    return Object.fromEntries(
      here.map(({ argv }, index) => [`${name} ${index}`, { command: argv, env, timeoutMs }]),
    )
  },
}

/** As typed in a shell. */
const describeCommands = (commands: readonly ConditionCommand[]): readonly string[] =>
  commands.flatMap(({ folder, argv }, index) => [
    ...(index === 0 ? [] : ['&&']),
    ...(folder === '' ? argv : ['cd', folder, '&&', ...argv]),
  ])
