/** `loopctl daemon token add`, `list` and `remove`: personal tokens. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { renderTable, renderTime } from '../display/render.ts'
import { openSession, readStateFolder } from '../session.ts'

export function addNamedTokens(program: Command, tokens: Command): void {
  const folder = async (): Promise<string> => resolve(await readStateFolder(program))
  const load = () => import('../../daemon/named-tokens.ts')
  tokens
    .command('add <name>')
    .description('create a personal token; it is shown only once')
    .option('--read-only', 'it cannot decide or change anything')
    .action(async (name: string, _options: unknown, command: Command) => {
      // The parent command has an option of the same name, which may have consumed it.
      const { readOnly } = command.optsWithGlobals<{ readOnly?: boolean }>()
      const scope = readOnly === true ? 'read' : 'write'
      const { addNamedToken } = await load()
      const token = await addNamedToken(await folder(), name, scope)
      openSession(program).print({ name, scope, token }, () => token)
    })
  tokens
    .command('list')
    .description('list personal tokens')
    .action(async () => {
      const { readNamedTokens } = await load()
      const found = readNamedTokens(await folder())
      const { json, print } = openSession(program)
      const shown = found.map(({ name, scope, addedAtMs }) => ({ name, scope, addedAtMs }))
      if (json) for (const one of shown) print(one, String)
      else print(shown, () => renderTokens(shown))
    })
  tokens
    .command('remove <name>')
    .description('revoke a personal token')
    .action(async (name: string) => {
      const { removeNamedToken } = await load()
      await removeNamedToken(await folder(), name)
      openSession(program).print({ name, removed: true }, () => `removed the token of ${name}`)
    })
}

const renderTokens = (
  tokens: readonly {
    readonly name: string
    readonly scope: string
    readonly addedAtMs: number
  }[],
): string =>
  tokens.length === 0
    ? 'No personal tokens.'
    : renderTable([
        ['NAME', 'ACCESS', 'ADDED'],
        ...tokens.map(({ name, scope, addedAtMs }) => [name, scope, renderTime(addedAtMs)]),
      ])
