/** `--check`, as `run`, `init` and `certify` take it: a command, or `name=command`. */

import { type Command, InvalidArgumentError } from 'commander'
import { defined } from '../loop/index.ts'

export type GivenChecks = readonly GivenCheck[]

export interface GivenCheck {
  /** Absent: derived from the command. */
  readonly name?: string
  readonly command: string
}

export const addCheckOption = (command: Command, description: string): Command =>
  command.option('--check <command>', description, addCheck)

/** `NODE_ENV=test npm test` sets a variable and has no name. */
const named = /^(?![A-Z_][A-Z0-9_]*=)([A-Za-z0-9][\w.-]{0,63})=(.*)$/s

function addCheck(written: string, before: GivenChecks = []): GivenChecks {
  const [, name, command = written] = named.exec(written) ?? []
  if (command.trim() === '') {
    throw new InvalidArgumentError("It must be a command, such as 'npm test' or test='npm test'.")
  }
  if (name !== undefined && before.some((one) => one.name === name)) {
    throw new InvalidArgumentError(`Two checks are named ${name}.`)
  }
  return [...before, { ...defined({ name }), command: command.trim() }]
}

/** Commands by name. */
export async function namedChecks(given: GivenChecks): Promise<Readonly<Record<string, string>>> {
  const { nameCheck } = await import('../launch/init/loop-names.ts')
  const taken = given.flatMap(({ name }) => name ?? [])
  const checks: Record<string, string> = {}
  for (const { name, command } of given) {
    checks[name ?? nameCheck(command, [...taken, ...Object.keys(checks)])] = command
  }
  return checks
}
