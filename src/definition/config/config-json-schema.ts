/** The JSON schema of `loopwright.yaml`, for commands. */

export { configJsonSchema } from '../../protocol/config/config-schema.ts'
