/**
 * Commands made from the operations that loop types declare: `loopctl <type> <operation> [run]`, with an option
 * for each field of the request. A built-in type is loaded only if the command line names it.
 */

import type { Command } from 'commander'
import type { LoopOperation, LoopTypeDefinition } from '../../loops/index.ts'
import { withLookingClient } from '../connection/operate.ts'
import { visibleText } from '../display/render.ts'

/** What an operation answers, however it is reached. */
export type Operate = (
  type: string,
  operation: LoopOperation,
  request: { readonly run?: string; readonly body: object },
) => Promise<unknown>

/** Without `wanted`, or if it is another command, they are only listed, because loading their schemas takes time. */
export async function addBuiltInLoopTypes(
  program: Command,
  wanted: string | undefined,
): Promise<void> {
  const { loopTypeSummaries } = await import('../../loops/loop-type-summaries.ts')
  const listed = loopTypeSummaries.filter(({ hasOperations }) => hasOperations)
  if (listed.some(({ name }) => name === wanted)) {
    const { loopTypes } = await import('../../loops/registry.ts')
    return addLoopTypes(program, loopTypes)
  }
  program.commandsGroup(groupTitle)
  for (const { name, description } of listed) {
    // Some types have a command of their own.
    if (findCommand(program, name) === undefined) program.command(name).description(description)
  }
}

const groupTitle = 'Loop types:'

export async function addLoopTypes(
  program: Command,
  types: readonly LoopTypeDefinition[],
  operate: Operate = (type, operation, request) =>
    withLookingClient(program, (client) => client.operate(type, operation, request)),
): Promise<void> {
  program.commandsGroup(groupTitle)
  for (const { name, description, operations = [] } of types) {
    if (operations.length === 0) continue
    const command = findCommand(program, name) ?? program.command(name).description(description)
    for (const one of operations) await addOperation(program, command, name, one, operate)
  }
}

const findCommand = (program: Command, name: string): Command | undefined =>
  program.commands.find((known) => known.name() === name)

async function addOperation(
  program: Command,
  parent: Command,
  type: string,
  operation: LoopOperation,
  operate: Operate,
): Promise<void> {
  const { name, about, summary, body } = operation
  const command = parent
    .command(about === 'run' ? `${name} <run>` : name)
    .description(summary.replace(/\.$/, ''))
  const fields = body === undefined ? {} : await fieldsOf(body.schema)
  for (const [field, shape] of Object.entries(fields)) {
    const flag = `--${toKebab(field)}`
    const told = shape.description ?? field
    command.option(shape.type === 'boolean' ? flag : `${flag} <value>`, told)
  }
  command.action(async (...given: unknown[]) => {
    const run = about === 'run' ? { run: String(given[0]) } : {}
    const request = { ...run, body: readBody(command.opts(), fields) }
    const { openSession } = await import('../session.ts')
    const answer = await operate(type, operation, request)
    openSession(program).print(answer, () => {
      const text = operation.render?.(operation.answer.schema.parse(answer))
      return text === undefined ? JSON.stringify(answer, undefined, 2) : visibleText(text)
    })
  })
}

interface Field {
  readonly type?: string
  readonly description?: string
}

type Fields = Readonly<Record<string, Field>>

/** The fields of a request, as its published schema has them. */
async function fieldsOf(schema: NonNullable<LoopOperation['body']>['schema']): Promise<Fields> {
  const { z } = await import('zod')
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
  return properties as Fields
}

/** Text stays text; everything else is written as JSON, and refused by the daemon if it does not fit. */
function readBody(options: Readonly<Record<string, unknown>>, fields: Fields): object {
  const given = Object.entries(fields).flatMap(([field, { type }]) => {
    const value = options[toCamel(toKebab(field))]
    if (value === undefined) return []
    return [[field, type === 'string' || typeof value !== 'string' ? value : parsed(value)]]
  })
  return Object.fromEntries(given) as object
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const toKebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const toCamel = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
