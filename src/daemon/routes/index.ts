export { createRoutes } from './create-routes.ts'
export { operations } from './operations.ts'
