export { createRoutes } from './create-routes.ts'
export { openApi } from './openapi.ts'
export type { Operation } from './operation.ts'
export { operations } from './operations.ts'
