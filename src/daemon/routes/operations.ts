/** All operations of the daemon. */

import { z } from 'zod'
import type { Host } from '../../host/host.ts'
import { type LoopTypeDefinition, loopTypes } from '../../loops/index.ts'
import { controlOperations } from './control-operations.ts'
import { daemonOperations } from './daemon-operations.ts'
import { digestOperations } from './digest-operations.ts'
import { fileOperations } from './file-operations.ts'
import { journalOperations } from './journal-operations.ts'
import { levelOperations } from './level-operations.ts'
import { loopOperations } from './loop-operations.ts'
import { loopTypeOperations } from './loop-type-operations.ts'
import { memoryOperations } from './memory-operations.ts'
import { openApi } from './openapi.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { panelOperations } from './panel-operations.ts'
import { runOperations } from './run-operations.ts'
import { scheduleOperations } from './schedule-operations.ts'
import { summaryOperations } from './summary-operations.ts'
import { workOperations } from './work-operations.ts'
import { worktreeOperations } from './worktree-operations.ts'

/** The operation that returns the OpenAPI document of all operations, itself included. */
const describeAll = (all: () => readonly Operation[]): Operation => {
  let made: Promise<object> | undefined
  return operation({
    id: 'getOpenApi',
    method: 'get',
    path: '/openapi.json',
    tag: 'daemon',
    summary: 'This document.',
    responses: { 200: json('OpenAPI 3.1.', z.looseObject({ openapi: z.string() })) },
    async handle() {
      made ??= openApi(all())
      return ok(await made)
    },
  })
}

export function createOperations(types: readonly LoopTypeDefinition[]): readonly Operation[] {
  const all: readonly Operation[] = [
    ...runOperations,
    ...controlOperations,
    ...journalOperations,
    ...workOperations,
    ...fileOperations,
    ...worktreeOperations,
    ...loopOperations,
    ...digestOperations,
    ...levelOperations,
    ...memoryOperations,
    ...panelOperations,
    ...scheduleOperations,
    ...summaryOperations,
    ...loopTypeOperations(types),
    ...daemonOperations,
    describeAll(() => all),
  ]
  return all
}

/** With the built-in loop types. */
export const operations: readonly Operation[] = createOperations(loopTypes)

/** With the loop types of a host. */
export const operationsOf = ({
  loopTypes: types,
}: Pick<Host, 'loopTypes'>): readonly Operation[] =>
  types === undefined ? operations : createOperations(types)
