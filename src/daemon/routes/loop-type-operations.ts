/** Routes of the operations that loop types declare. */

import { loadRun, readCreated } from '../../engine/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { LoopOperation, LoopTypeDefinition, OperationRequest } from '../../loops/index.ts'
import { operationPath } from '../../protocol/api/index.ts'
import { defaultLoopType } from '../../protocol/index.ts'
import type { DaemonParts } from '../parts.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { inRun } from './run-parameters.ts'

export const loopTypeOperations = (types: readonly LoopTypeDefinition[]): readonly Operation[] =>
  types.flatMap(({ name, operations = [] }) => operations.map((one) => toRoute(name, one)))

function toRoute(type: string, declared: LoopOperation): Operation {
  const { method, about, summary, body, answer } = declared
  const shared = {
    id: toId(type, declared.name),
    method,
    path: operationPath(type, declared),
    tag: 'loop types',
    summary,
    ...(body === undefined || method === 'get' ? {} : { body }),
    responses: { 200: json(answer.description, answer.schema) },
  }
  if (about === 'nothing') {
    return operation({
      ...shared,
      async handle({ host }, { body: given, signal }) {
        return ok(await declared.handle(host, { run: undefined, body: given, signal }))
      },
    })
  }
  return operation({
    ...shared,
    params: inRun,
    problems: [404, 409, 422],
    async handle(parts, { params, body: given, signal }) {
      const run = await findRun(parts, type, params.run)
      return ok(await declared.handle(parts.host, { run, body: given, signal }))
    },
  })
}

/** `tuneExportCases` of `tune` and `export-cases`. */
const toId = (type: string, name: string): string =>
  `${type}-${name}`.replaceAll(/-+(\w)/g, (_, letter: string) => letter.toUpperCase())

async function findRun(
  { host }: DaemonParts,
  type: string,
  given: string,
): Promise<NonNullable<OperationRequest<unknown>['run']>> {
  const { id, name } = await host.journal.findRun(given)
  const { loopType = defaultLoopType } = await readCreated(host.journal, id)
  if (loopType !== type) {
    const message = `Run "${name}" has the loop type ${loopType}, but this operation needs ${type}.`
    throw new LoopError('bad-request', `${message} See: loopctl list`)
  }
  const { state } = await loadRun(host.journal, id)
  return { id, name, state }
}
