/** The schema of `loopwright.yaml`, for commands: they know the protocol by way of the host. */

export { configJsonSchema } from '../../protocol/config/config-schema.ts'
