import { Callback } from './BasicServicesKit';

export namespace http {
  enum RequestMethod { OPTIONS = 'OPTIONS', GET = 'GET', HEAD = 'HEAD', POST = 'POST', PUT = 'PUT', DELETE = 'DELETE' }
  enum HttpDataType { STRING = 0, OBJECT = 1, ARRAY_BUFFER = 2 }
  enum ResponseCode { OK = 200 }
  interface HttpRequestOptions {
    method?: RequestMethod;
    extraData?: string | Object | ArrayBuffer;
    expectDataType?: HttpDataType;
    header?: Object;
    /** Milliseconds, the whole request; 0: no limit. Default 60 000. */
    readTimeout?: number;
    /** Milliseconds. Default 60 000. */
    connectTimeout?: number;
    usingCache?: boolean;
    maxLimit?: number;
  }
  interface HttpResponse {
    result: string | Object | ArrayBuffer;
    resultType: HttpDataType;
    responseCode: ResponseCode | number;
    header: Object;
    cookies: string;
  }
  interface HttpRequest {
    request(url: string, options?: HttpRequestOptions): Promise<HttpResponse>;
    requestInStream(url: string, options?: HttpRequestOptions): Promise<number>;
    destroy(): void;
    on(type: 'headersReceive', callback: Callback<Object>): void;
    on(type: 'dataReceive', callback: Callback<ArrayBuffer>): void;
    on(type: 'dataEnd', callback: Callback<void>): void;
    off(type: 'headersReceive', callback?: Callback<Object>): void;
    off(type: 'dataReceive', callback?: Callback<ArrayBuffer>): void;
    off(type: 'dataEnd', callback?: Callback<void>): void;
  }
  function createHttp(): HttpRequest;
}
