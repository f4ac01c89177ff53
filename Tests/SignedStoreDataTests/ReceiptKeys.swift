import CryptoExtras
import Foundation

/// RSA keys with 2,048 bits that are the same in each run. They sign nothing but the receipts of
/// tests.
enum ReceiptKeys {
  static let root = key(rootKey)
  static let intermediate = key(intermediateKey)
  static let leaf = key(leafKey)
  static let other = key(otherKey)

  private static func key(_ text: String) -> _RSA.Signing.PrivateKey {
    try! _RSA.Signing.PrivateKey(derRepresentation: Data(base64Encoded: text)!)
  }

  private static let rootKey = """
    MIIEpAIBAAKCAQEA2xYbsY3+CcmYdp/nuMCLw2aClqgfNsD2cQoYIAx4SwN/c/lwZ7BWvmcXm/YHPtstNG42rQDZMeRjAA\
    LY//zqOK7V2It70Xswkasr2iyjcVbYafFtRw1fP8sP1YCULzj4TV0mFnQ8r8deaQk6WS7KsfPdSrpDttprxRtDVTJ4FMQm\
    GVPYNjBR8hWY+Y8bHO9JvIL25OHacCkOIxCVZTourguYYwD3ogYNV9jbGkRJwtWTjco2P/oyDMfbuhJbkUV4WffMDWhSse\
    /YlSgtLg2KFQ0Okaed6LzYgp9+rAN88IYGSCY9poxXTGlvGnTBeobrhk6wFZMtwh+LP6Qj41yCewIDAQABAoIBAB9Wob57\
    p6eBwT/SrsREMpnQS4S+ZryfzICt53aKIhjk1rHhr9z9IeNZfsyN3Ep28pfp3gNQOEFFQI4LWjv/0wcppygzB5KW8wMbP4\
    oVUYnQWOOKp81+ka3f35N0MX4xwX7bgKu8k8O3Gn+e1MxV/6OF1RUv4KjCxKCsvixtLDUX98+mDNs1INjV3OTkeSVq9myG\
    fgo0e7MJQqgeHfJh7eKTklbRsbt3TobbIqsjECnYURS6IcPPi8+8fBYRjaRAelB9kW9kWOcdlCvYXWlPFwXgAYZfel0w/q\
    p0+XIHsrI1CEDrq+kvfd4hHiaOKrhOSqepEQeUismeHpGRrv57avkCgYEA/Md5QdcrZ+Z0R/bjEcRtT1n4D/RZb6ECElRm\
    6JeMKBxstlT7gziRmtpWDj3m4ASjkl7HDlC0uWFkw6Ka7/59K5ib5IN7ESumx9L4su3rdGe9pZGDklxmXoqp+8w4+hFmk+\
    gdaGNAJqlT8krbF2uTgsjgi4cZmjndSSjcD4Vx+7MCgYEA3eC71ptC5vXqGZhkdfr882vz2G7/BN4QSQm5CLj7zjfmpq0e\
    FdNsSER5NuQLuewPU0jJDuUJNnCHrZ2noIB4FJVXbY3yb7sdDPN9Qfo17bnmAOfBK2mCmLuFtuVio3rlUo/9V0ff1/NbR4\
    qt9dpT50mAT6iNXVk8nSuK4V1KWhkCgYEA86RQe+WpMLwv2C1fMADkW1ecgcRDcBUAqiowBoAL152OKzA+PHyJ23gW+iMw\
    JTxTbQFtW57uksANH4PbUvc4Lo0ptVgFhsdMOc5faBdqmwhjAvL+nlPxV67PqKNvR5j+BhH0Rmljq+AJyb/c7PYDeEumIt\
    ZVFxIu+BUqBsvY0YECgYB0GoNwe3J41ToZBqubKSlwX48MNJjx/Rncfl/69oGdmZbypShXF3lUH7CmTpLsSWCDnlTHnIZD\
    nIMDELqEvHUZoERNqbexS+KZwlhLTBkoOtzmoF9uzhluvsHrwQDqtwaFO5/AKnYx1MBxIVqCiirZnpasGHFQ5b9YJ07XOz\
    ALEQKBgQCbCH/owDcSmHVF65G7lQuHjr8pO26aOSkAxaQ3kdpbH58khTZxbcMtTz0+4jxB6UZchnUp3tnXQo1huWujpljL\
    SdNjXnX6TzDjKc68s5u0ezFVnltTDBcBe2+77XzZkew4X1jvovzfx8nam7cAFmawVIilIzx+Myxlmjo7P88FLw==
    """

  private static let intermediateKey = """
    MIIEpAIBAAKCAQEAtfcXIWRLq5p9TdQA0+5hrzuhdXXQHAAAWwZgxL73GXIW61NU1U5+8WcqzEGppDdC82iLLQm79Vu+RR\
    fsdMno5Ac2VV4TZ9AiWX7wdHwTwCw7h6tmsjLBJvReNWwXNRiAPE7+n7P7NUGJdOnWydReGXThyuQ9wYPHSMJkbx03PUEw\
    kh8fCtAWuAM8WT3CMM9liu0xnu8EWbRNU1u6IDcYfiDhIHaekPURUUCxKYsfUzdDTSJb0ODc/aHRM0pGJuSiY72LieT2c4\
    43mFkJwrCQBUF4u6mk2UlIG2ZStS5gsgwxlD2DAwFLIl69g7EBEDKGWW+n/ivtiHeVmtoHmDAPCQIDAQABAoIBAAvAEPZP\
    C7PhHgZQkl0dH6G5MAvtt6qXNW6rUsRhsIMsIt6/WtMLZpcgGltmQhYgm2osbhBSeJi3e+nqSZKhFzDiZlfM42PoxM8Sq2\
    RaPsxCDvYL023eaSqizRKWEEmVc3Jxh2+4p5ggy0eJch1GYW0zZwE7C+HbKJtCMkoakN6bou1ar63U9yQaEJwT+VP+wmu8\
    BNnXz4qEpZdJ5budzKpe5VbpzFEMQeUFenJSXUSxUNl8pgf0j7LFpbnDtNH53nuyLL4I/m7wvs1sibTGLxQpYUkhcnDBPX\
    bRvVng0ApP9liynvolKWuHAGU/dA50s3xOVa7Rjuwc7nT8d2tOMiECgYEA90G5ZXxUap9+6x9uSqAxMovrLLgByZPnR53v\
    kkppHgGcz/OBCs2C7l7EAxZKIJxMxUzu27mIPqkSh6SH7DIxxi/AGctNdd/2rBiYpR5i9Ti4n3s7Z2bzk1OY8fV/qeQRob\
    LOmDcN0o1Ciq3pi5XK77WjqiwdLp7oqJ0F6Lfw3+MCgYEAvGZRlEMxVHCFAAmftvY9BlLSjvO1+kTSVsVsVfWHypEcCgyW\
    h/oYblz9cCTeTDNfRLousLCYhLjk6cZTIfW+7kGAFFU7SO2nKtLJKBIpj4bSE6fTplOf2wHsGOhxn2MHlp2f0GBEjlFVjJ\
    bgi2GtpCEGbUwN6h+Gix8LBbmtMSMCgYEAxvvnvhquvRgaxhIHaps8vJcJ7nUvSxBygppB4RNtQS6/CkPHR/BYPImbaXiY\
    s2HWDrp5R+8qDHN4bB0nHhjPIdXv3VJVxlU1aQ5qWgf4T60UN5SvG+oogBo47hBKa2kWH3GM/cbgot/3+y820pT8OqmNSz\
    gxTAGq73de+AiAG00CgYEAr5Nba6TDEEJccJCHe+c3L/F3sSmG6lnA/IS4VdOgXTOmwebBUq/MnO2kcyKo2LL3kgFBCgFJ\
    4ka9bvAZAYkYCsqYJlrYCTsRk2MlfGaQvOWUWiUJpfRBAcVk1kGpwjR0GfWDvpo4ybka1Q627K53OIJejvVV8l628GhZyV\
    glA6kCgYBx8vSnbgXB1BhUKm6RNSzaDvr4mxqMs39a6qSbCzk0yc5hKGkAS/9DBclg0LUUcGKJCbF7eodwudrR7rDHkxXD\
    glZDE0ER/ziSUpZRIRbE8p3PNvDIBJTwg2buHzDubdeUE36wkoU0rRynQnfWVKc14fh/H9pOvD4KaqY6aKy7GA==
    """

  private static let leafKey = """
    MIIEpQIBAAKCAQEA2srBK09KUF4jBwImqrxy3FKQzuWZZBjgMZA2k28YJV36w6u1JD+WDbLlqdcM4+87LocdDx3v2GqouH\
    kGofvNe4lBP5Cu4Gi6K20l6ZaqA4u8mTMGUaH3pYDgcm3f1tSijOsiCskHjuhweyApqr4dPxJeFwvZBRZsVl5GKaU23A8e\
    xtJwGr1ImpM9RrPMNLsgjV47/eGag9onVJjUzXWCI94EzoMdO8kn6fKI6Vrl2B6JAhkRh/sgTaGeyC4cucmMHETokOmW7C\
    81sQjPLMQxJ0PvpgLg9Qni/8Fd9Qx9guaxJijiYXOIlahM/7h/S4Ix1J7zfQwLQQDRElk9AntaPQIDAQABAoIBAGVwVckv\
    tOO4EYNhUu4b+yD9Qtg6CTkoc2FnXHZUrpw8i1QHGy/YL0jgpaxt4TMYqpay3B0zIw1yvhDxQ8r8RNO+2jqPaRTwWUhjDY\
    3UZbTJJ8LbrlVQw9G/A9Dp8jrXURoGtjzL4a43RFdBnS/lfwfMC0WiH5dFQyt0ABG04M97c63YTF9GI+16AoK/lvRtHvkc\
    eQTutG9VlzKB0D5ZKa0wuu6Nb2mOu5acSXTTijEPrsqqL3lkHZA5mWI2dJNFna1yEnkYGPWd2JrlqDT2WYbN/2XB8vrGE/\
    gVb2+wvZcaQqMcr8b5mwcCIvqeuPBMenr2d7PFAm+2fqfkfo7bmp0CgYEA8DXKIkN8QhRQDLGv7zkivk4mMMWzVX68QbNA\
    ywQo/AY7moHECZpoAG/3YsYF/K7qMBfToCurT6tPoUFuAx47GUWejCZi/BEutJtbujAu+FHecgIH8I3dVQv/GhoqaZsFEh\
    10U6g7eYO87XtqkHuKd0oBaKVGhsQ4X8Qsppd52ZcCgYEA6SyLjv8gTwbQmT35MOOqwXvK3EVRZk7C5napZOdSrJDAyX5t\
    QFfRWfuUJEzkrayFVxErr48ehyNZ2rcJYDi8TIud9jVf8PAxaSRzo1Vyg7Ldktcm678IGc0GVhyDli+mBgMgBaGgCvQM+R\
    OlIQsVeLYqbnkiM5dFvT0PsZhBnUsCgYEAu+RnQxvkk0+OOg+3HXlkutUoPFg4abSjjwSmtuZ/JHu/naDJdfWISmdKa8GX\
    p0outwW8LHpcGwpWVD14zwmTkrYJSXkxThgmn3Eyc9YCt4xaYnVCPqDJMyAaIBG9gTOX6M6PUmyycN9iJaS2+2MXMS37Ih\
    69pubPbeFmR70Ou+sCgYEAo4KmNtd3S5OG0f8gcIUmJ9nsTnyZcTnH+J67eNOyKOq1Flb+u8EZQJVns/Dr51H0izKyRMEC\
    8lb62qHCBGSkvrSlR5L0PVvh+k4ifSYdUHcsY51WYLisMJOSXu5N5BJzxQGKAgjt1uB+/GcnQ72nB+gOZzuwnSb2M5bPG4\
    WedXMCgYEA39uvoNI4gt7JFn/fNhr5/ohf/fj6yjYdEsAwHNDCllwJrerYGjbW5ONKWcgDdCSaRJKA4UkWvj5gA5ooJqoH\
    /zKKR3cxTTh8DlaiHMD9YpqbAIqk1BPNcjceWq3wY4UWPA6J503TMqQoaAgjtxm3KDryqTDSm1d34x/yLLRUZ6I=
    """

  private static let otherKey = """
    MIIEpAIBAAKCAQEAxCpdWdQNDJy4vJE8VtLfN4Id59Ryy8KxIlktLbhn3n8zHanORXKI9yo+wyQ+slQ5SdrwX9yUjFgx9R\
    ROYYs333qy1elH2J3k/mVAX+QIb3NHXJjwlWJmnBK5Ha1Gjpe3yknggaERdJci8joPmWkT1e9JxdKMtgXbv1CWuoy8pS+o\
    gEfjr2uo4oKTW2BnEuC/EDs9/r7PKnZtxbhu/jhE3P2VS57TgaPm+iRgVEz5FSWycJtGK1q9XvvNzevwr3P3V32ZKuDC2o\
    5r+9Yogf6e+dtRY+vZ+yjTWEFBQmMUBpCSlC4BPwc7nckDMZojx34vnINSi5p7R88FgS5dvZJY5wIDAQABAoIBAAs5eVn4\
    fj6ogRGZJeC59DfS5C8twtvR6hzTCXjCQn9CvAQIgVsL8LZj3m+AFW5Sz2xgcLyrfHyDV2h0nv+J3cqV1MHUtV25uy6rUI\
    GsJKdr6ztrLOj/Vmu7zofaMF1cZRHYJFaGht8q/r7pf5cBojbtmEUPhSmtMCPEUrud7fVtqQA20OIQcso7u1p8qwBUIW9z\
    9WPqdyQP/6Ce+YdGIEikl4bVMwF92hg1PVatamdwym4xFF4n0pc7K+Y/uanh+mvktqm0kv1prz5EFJrFdOJoL2sWByQpRr\
    ns7lP34JPQBCVZBp9p0C6DhyxBkU/rEKzrKKVJTep12YOnylKN9JECgYEA7Yfs88X4FESc28XkiYkYDx+LWnpBmkNulHpy\
    EH1T7FdJKUBT2aW5574XcnbBDHT//MTc/Y/XZ+tnvtxBkRJ1aSSoz+5cEt8f0e2e6PJai1JRohLw732Bd9cHagv3fEQWXG\
    MgO2rZ+aiSbu2bg6bZNxJO9hehksRSB5Cvfl4oZs0CgYEA02sORF2v3rU1exWv62WGfBYAhbpLBtrNKR+t/N18M3gg0WQg\
    Y30Z8s5SuojYLDEQa1RlOccN3Tru6ZLM7CIAlSuna0XayuFO4Zo1afb+E2QEcLKAtABJoo5+OgBWzXA+abVGTLGapgO0nu\
    4QinQtU77H+8HMudXVd5/aFA0QtoMCgYEAogJ/35U7q7dQtaW4Rwa23jnJtqCEdk9f8O3DNvQEdcLjJ7u0dVLQBfxlybCt\
    42053JH5mQivBzZMwKVCI0zPwDM84PXW3xhIf8rvBDuo/jXbcAwzQWX9FFwZtn8LAjr+dW024s/ydJJBrl9qHtWCekmGid\
    t8XLqCqJ5K1IosTFECgYEAwEM4O0Xz3RVv6FpFnE28qnWbzgEnn7k1H/PWVwHYpDnXpnRm2/L1uRCWvVobNLz90I10bMGv\
    wwOIJ1PAFfGqE/4aB30ERsH06UdC0fWzA1FOlGpQjuFAFZt+ASMzzSoJKDqZDr/pApaWGH4o/rA+VE1IMpQAqPNkaKAvQ1\
    LKYx8CgYAt1rVjqYPFtHbHZFlKieVsImdq1EduXt9by/LmRz0bsKvbNuMf5eb5leaf+kuJGgkO7FHlF1E+kV1bCBoUcjOk\
    cipFebOLzr875dSli0Y7gSTAk92cBXzl4k/v0szOQMpdhYSOQMgNU2L6zDMhQbLwmN5dVl2zgPmJLUVOtkSqLw==
    """
}
