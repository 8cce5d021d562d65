/** All operations of the daemon. */

import { z } from 'zod'
import { daemonOperations } from './daemon-operations.ts'
import { fileOperations } from './file-operations.ts'
import { loopOperations } from './loop-operations.ts'
import { openApi } from './openapi.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { recordOperations } from './record-operations.ts'
import { runOperations } from './run-operations.ts'
import { tellOperations } from './tell-operations.ts'
import { workOperations } from './work-operations.ts'
import { worktreeOperations } from './worktree-operations.ts'

let made: object | undefined

const document = operation({
  id: 'getOpenApi',
  method: 'get',
  path: '/openapi.json',
  tag: 'daemon',
  summary: 'Get this document.',
  answers: { 200: json('OpenAPI 3.1.', z.looseObject({ openapi: z.string() })) },
  async handle() {
    made ??= openApi(operations)
    return ok(made)
  },
})

export const operations: readonly Operation[] = [
  ...runOperations,
  ...tellOperations,
  ...recordOperations,
  ...workOperations,
  ...fileOperations,
  ...worktreeOperations,
  ...loopOperations,
  ...daemonOperations,
  document,
]
