export type {
  CertifyingPlace,
  Checkout,
  Layer,
  OpenCheck,
  Overlay,
  PlaceRequest,
  PutFile,
  TreeFile,
  TreeReader,
} from './parts.ts'
