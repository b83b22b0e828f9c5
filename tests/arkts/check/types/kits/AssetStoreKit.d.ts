export namespace asset {
  enum Tag { SECRET = 0x30000001, ALIAS = 0x30000002, ACCESSIBILITY = 0x20000003, CONFLICT_RESOLUTION = 0x20000044, RETURN_TYPE = 0x20000040, IS_PERSISTENT = 0x10000011 }
  enum Accessibility { DEVICE_POWERED_ON = 0, DEVICE_FIRST_UNLOCKED = 1, DEVICE_UNLOCKED = 2 }
  enum ConflictResolution { OVERWRITE = 0, THROW_ERROR = 1 }
  enum ReturnType { ALL = 0, ATTRIBUTES = 1 }
  type Value = boolean | number | Uint8Array;
  type AssetMap = Map<Tag, Value>;
  function add(attributes: AssetMap): Promise<void>;
  function remove(query: AssetMap): Promise<void>;
  function query(query: AssetMap): Promise<Array<AssetMap>>;
  function addSync(attributes: AssetMap): void;
  function removeSync(query: AssetMap): void;
  function querySync(query: AssetMap): Array<AssetMap>;
}
